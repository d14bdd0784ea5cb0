"""Systems with their figures, by what reads and what judges."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from mabench.leaderboard.figures import Figure
from mabench.results import Intervals, Run

_DATED = re.compile(r"-\d{4}-\d{2}-\d{2}$")


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
