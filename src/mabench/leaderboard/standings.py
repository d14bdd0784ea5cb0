"""Systems with their figures, by what reads and what judges."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from mabench.leaderboard.figures import Figure
from mabench.results import Intervals, RunSummary

_DATED = re.compile(r"-\d{4}-\d{2}-\d{2}$")


class Group(NamedTuple):
    """What figures are compared within: the model that reads, and the one that judges."""

    reader: str | None
    judge: str | None


@dataclass(frozen=True, slots=True)
class Standing:
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


class OwnRun(NamedTuple):
    """A run of one's own.

    Attributes:
        folder: its folder.
        reader: the model that reads; None without one.
        summary: its scores.
    """

    folder: str
    reader: str | None
    summary: RunSummary


def standings(listed: Iterable[Figure], own: Sequence[OwnRun] = ()) -> dict[Group, list[Standing]]:
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
    groups: dict[Group, list[Standing]] = {}
    for (name, reader, _, published), of_system in systems.items():
        judges = {_undated(figure.judge) for figure in of_system if figure.judge}
        group = Group(reader, " and ".join(sorted(judges)) or None)
        scores = {figure.on: figure.score for figure in of_system}
        groups.setdefault(group, []).append(Standing(name, published, False, scores, {}))
    for run in own:
        groups.setdefault(_group_of(run), []).append(_standing(run))
    for group in [group for group in groups if group.judge is None]:
        judged = [other for other in groups if other.reader == group.reader and other.judge]
        if len(judged) == 1:
            groups[judged[0]] += groups.pop(group)
    return dict(sorted(groups.items(), key=lambda item: -max(len(one.scores) for one in item[1])))


def _undated(model: str) -> str:
    """Return a model without the date of its version, which the paper does not always name."""
    return _DATED.sub("", model)


def _group_of(run: OwnRun) -> Group:
    judges = {source.judge.model for source in run.summary.sources.values() if source.judge}
    return Group(run.reader, " and ".join(sorted(map(_undated, judges))) or None)


def _standing(run: OwnRun) -> Standing:
    summary = run.summary
    means = {**summary.columns, **summary.categories}
    scores = {name: mean.official for name, mean in means.items()} | {"Overall": summary.overall}
    intervals = {name: mean.interval for name, mean in means.items()}
    return Standing(
        summary.agent,
        run.folder,
        True,
        {name: score for name, score in scores.items() if score is not None},
        {**intervals, "Overall": summary.overall_interval},
    )
