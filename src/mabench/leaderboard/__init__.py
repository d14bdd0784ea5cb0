"""Published figures as data: one a line in ``figures.jsonl``, which contributors add to.

``docs/guides/leaderboard.md`` says how. Figures are never ranked across readers and judges.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Literal, NamedTuple

from pydantic import TypeAdapter

from mabench.data.inventory import CATEGORIES
from mabench.results import Intervals, Run

__all__ = [
    "PLACES",
    "Figure",
    "LeaderboardEntry",
    "ReaderAndJudge",
    "best_by_column",
    "figures",
    "standings",
]

# The columns of the paper's table, the category after its columns, and the mean of all.
PLACES = (
    *(place for category in CATEGORIES for place in (*category.columns, category.name)),
    "Overall",
)
_DATED = re.compile(r"-\d{4}-\d{2}-\d{2}$")


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """One published figure.

    Attributes:
        system: what was measured.
        version: its version; None where nobody says.
        reader: the language model that answers; None where nobody says.
        embedder: the model that embeds, where there is one.
        depth: how many passages are retrieved, where they are.
        chunk_tokens: how many tokens a chunk has, where the history is cut.
        judge: the language model that judges, where one does.
        on: the source, column or category, or ``Overall``.
        score: from 0 to 100.
        n: the number of questions.
        date: when it was published, as YYYY-MM-DD or YYYY-MM; None where nobody says.
        published: where.
        party: ``first`` where the system's own authors measured, else ``third``.
        run: the fingerprint of the data of a run that can be looked at; None without one.
    """

    system: str
    version: str | None
    reader: str | None
    embedder: str | None
    depth: int | None
    chunk_tokens: int | None
    judge: str | None
    on: str
    score: float
    n: int
    date: str | None
    published: str
    party: Literal["first", "third"]
    run: str | None


@cache
def figures() -> tuple[Figure, ...]:
    """Return every published figure, in the order of the file."""
    text = files("mabench.leaderboard").joinpath("figures.jsonl").read_text(encoding="utf-8")
    adapter = TypeAdapter(Figure)
    return tuple(adapter.validate_json(line) for line in text.splitlines())


def best_by_column(listed: Iterable[Figure]) -> Mapping[str, Figure]:
    """Return the best figure of each column, category and ``Overall``, whoever reads and judges."""
    best: dict[str, Figure] = {}
    for figure in sorted(listed, key=lambda figure: figure.score):
        if figure.on in PLACES:
            best[figure.on] = figure
    return best


class ReaderAndJudge(NamedTuple):
    """What figures are compared within: the model that reads, and the one that judges."""

    reader: str | None
    judge: str | None


@dataclass(frozen=True, slots=True)
class LeaderboardEntry:
    """A system, or a run of one's own, with its scores.

    Attributes:
        system: its name, with its version.
        published: where its figures stand; a run's folder for one's own.
        own: whether it is a run of one's own.
        scores: from 0 to 100, by column, category and ``Overall``.
        intervals: those of a run's scores; no answers are known of what others published.
    """

    system: str
    published: str
    own: bool
    scores: Mapping[str, float]
    intervals: Mapping[str, Intervals | None]


def standings(
    listed: Iterable[Figure], own: Sequence[Run] = ()
) -> dict[ReaderAndJudge, list[LeaderboardEntry]]:
    """Return the systems of each group, those with the most figures first.

    A system that was published several times, or in several versions, stands once for each. What
    nobody judged stands with what was read by the same model, where one judge judged that.

    Args:
        listed: the published figures; those of sources are left out.
        own: runs of one's own.
    """
    systems: dict[tuple[str, str | None, str | None, str], list[Figure]] = {}
    for figure in listed:
        name = figure.system if figure.version is None else f"{figure.system} {figure.version}"
        place = figure.published.partition(",")[0]
        systems.setdefault((name, figure.reader, figure.embedder, place), []).append(figure)
    groups: dict[ReaderAndJudge, list[LeaderboardEntry]] = {}
    for (name, reader, _, published), of_system in systems.items():
        group = _group(reader, [figure.judge for figure in of_system if figure.judge])
        scores = {figure.on: figure.score for figure in of_system}
        groups.setdefault(group, []).append(LeaderboardEntry(name, published, False, scores, {}))
    for run in own:
        summary, model = run.summary, run.record.model
        judges = [source.judge.model for source in summary.sources.values() if source.judge]
        group = _group(model.name if model else None, judges)
        groups.setdefault(group, []).append(_own_entry(run))
    for group in [group for group in groups if group.judge is None]:
        judged = [other for other in groups if other.reader == group.reader and other.judge]
        if len(judged) == 1:
            groups[judged[0]] += groups.pop(group)

    def most_figures(item: tuple[ReaderAndJudge, list[LeaderboardEntry]]) -> int:
        return max(len(entry.scores) for entry in item[1])

    return dict(sorted(groups.items(), key=most_figures, reverse=True))


def _group(reader: str | None, judges: Iterable[str]) -> ReaderAndJudge:
    """Return a group; the dates of the judges' versions are not always named by the paper."""
    undated = {_DATED.sub("", judge) for judge in judges}
    return ReaderAndJudge(reader, " and ".join(sorted(undated)) or None)


def _own_entry(run: Run) -> LeaderboardEntry:
    summary = run.summary
    means = {**summary.columns, **summary.categories}
    scores = {name: mean.official for name, mean in means.items()} | {"Overall": summary.overall}
    intervals = {name: mean.interval for name, mean in means.items()}
    return LeaderboardEntry(
        summary.agent,
        str(run.folder),
        True,
        {name: score for name, score in scores.items() if score is not None},
        {**intervals, "Overall": summary.overall_interval},
    )
