"""Puts published figures together by system, and systems by the reader and judge of their figures.

The reader is the model that answers, the judge the one that says which answers are right. Figures
are compared only with those of the same reader and judge.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from mabench.reports.leaderboard.figure import Figure

# The date of a judge's version, which the paper does not always name.
_DATED = re.compile(r"-\d{4}-\d{2}-\d{2}$")


class System(NamedTuple):
    """A system as it was published in one place, or a run."""

    name: str  # With its version.
    reader: str | None
    embedder: str | None
    published: str  # Where; for a run its folder.


# The reader and the judge: figures are compared within one.
Group = tuple[str | None, str | None]
# A system with its figures, by what they are on.
Entry = tuple[System, Mapping[str, Figure]]


class BoardRow(NamedTuple):
    """A row of the leaderboard: a system with its figures."""

    group: Group
    system: System
    figures: Mapping[str, Figure]  # By what they are on.


def figures_by_system(scores: Iterable[Figure]) -> dict[System, dict[str, Figure]]:
    """Return the figures of each system by what they are on.

    A system counts as another one in each place of publication.
    """
    figures: dict[System, dict[str, Figure]] = {}
    for figure in scores:
        figures.setdefault(_system_of(figure), {})[figure.on] = figure
    return figures


def _system_of(figure: Figure) -> System:
    """Return the system that a figure is of."""
    name = figure.system if figure.version is None else f"{figure.system} {figure.version}"
    if figure.party == "own":
        folder = figure.published
        return System(f"{name} ({folder})", figure.reader, figure.embedder, published=folder)
    place, _, _ = figure.published.partition(",")  # Without the table or page there.
    return System(name, figure.reader, figure.embedder, published=place)


def group_systems(scores: Iterable[Figure]) -> dict[Group, Sequence[Entry]]:
    """Return the systems of each group, the groups with the most figures of a system first.

    Systems without a judge join those with the same reader, if these have one judge.
    """
    groups: dict[Group, list[Entry]] = {}
    for system, figures in figures_by_system(scores).items():
        judges = {_DATED.sub("", figure.judge) for figure in figures.values() if figure.judge}
        judge = " and ".join(sorted(judges)) if judges else None
        groups.setdefault((system.reader, judge), []).append((system, figures))
    readers_without_judge = [reader for reader, judge in groups if judge is None]
    for reader in readers_without_judge:
        judged = [group for group in groups if group[0] == reader and group[1] is not None]
        if len(judged) == 1:
            groups[judged[0]] += groups.pop((reader, None))

    def count_most(group: Group) -> int:
        """Return how many figures the system of a group has that has most."""
        return max(len(figures) for _, figures in groups[group])

    return {group: groups[group] for group in sorted(groups, key=count_most, reverse=True)}


def list_rows(figures: Iterable[Figure]) -> list[BoardRow]:
    """Return a row for each system, those of one group together."""
    return [
        BoardRow(group, system, own_figures)
        for group, entries in group_systems(figures).items()
        for system, own_figures in entries
    ]


def compared_most(rows: Iterable[BoardRow], column: str) -> list[BoardRow]:
    """Return the rows of the group that has the most systems with comparable figures on a column.

    Empty if no figure on it can be compared.
    """
    rows_by_group: dict[Group, list[BoardRow]] = {}
    for row in rows:
        figure = row.figures.get(column)
        if figure and not figure.unlike:
            rows_by_group.setdefault(row.group, []).append(row)
    return max(rows_by_group.values(), key=len, default=[])
