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
    """One published figure; None stands for what nobody says, or what there is none of."""

    system: str
    version: str | None
    reader: str | None  # The language model that answers.
    embedder: str | None
    depth: int | None  # How many passages are retrieved.
    chunk_tokens: int | None
    judge: str | None  # The language model that judges.
    on: str  # A source, column or category, or ``Overall``.
    score: float  # From 0 to 100.
    n: int  # Questions.
    date: str | None  # YYYY-MM-DD or YYYY-MM.
    published: str  # Where.
    party: Literal["first", "third"]  # The system's own authors measured it, or others.
    run: str | None  # The fingerprint of the data of a run that can be looked at.


@cache
def figures() -> tuple[Figure, ...]:
    """Return every published figure, in the order of the file."""
    text = files("mabench.leaderboard").joinpath("figures.jsonl").read_text(encoding="utf-8")
    adapter = TypeAdapter(Figure)
    return tuple(adapter.validate_json(line) for line in text.splitlines())


def best_by_column(listed: Iterable[Figure]) -> Mapping[str, Figure]:
    """Return the best figure of each column, category and ``Overall``, whoever reads and judges."""
    ascending = sorted(listed, key=lambda figure: figure.score)
    return {figure.on: figure for figure in ascending if figure.on in PLACES}


class ReaderAndJudge(NamedTuple):
    """What figures are compared within: the model that reads, and the one that judges."""

    reader: str | None
    judge: str | None


@dataclass(frozen=True, slots=True)
class LeaderboardEntry:
    """A system, or a run of one's own, with its scores."""

    system: str  # With its version.
    published: str  # Where its figures stand; the folder of a run of one's own.
    own: bool
    scores: Mapping[str, float]  # From 0 to 100, by column, category and ``Overall``.
    intervals: Mapping[str, Intervals | None]  # Of a run; no answers are known of others.


def standings(
    listed: Iterable[Figure], own: Sequence[Run] = ()
) -> dict[ReaderAndJudge, list[LeaderboardEntry]]:
    """Return the systems of each group, those with the most figures first.

    A system that was published several times, or in several versions, stands once for each. What
    nobody judged stands with what was read by the same model, where one judge judged that.
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
