"""Figures by system, and systems by the reader and the judge within which they compare."""

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
    """A system with its figures, and what it is compared within."""

    group: Group
    system: System
    figures: Mapping[str, Figure]  # By what they are on.


def figures_by_system(scores: Iterable[Figure]) -> dict[System, dict[str, Figure]]:
    """Return the figures of each system, which is another one in each place of publication."""
    entries: dict[System, dict[str, Figure]] = {}
    for figure in scores:
        place = figure.published.partition(",")[0]
        name = figure.system if figure.version is None else f"{figure.system} {figure.version}"
        if figure.party == "own":
            place = figure.published
            name += f" ({place})"
        entry = System(name, figure.reader, figure.embedder, place)
        entries.setdefault(entry, {})[figure.on] = figure
    return entries


def group_systems(scores: Iterable[Figure]) -> dict[Group, Sequence[Entry]]:
    """Return the systems of each group, the groups with the most figures of a system first.

    Systems without a judge join those with the same reader, if these have one judge.
    """
    groups: dict[Group, list[Entry]] = {}
    for entry, of in figures_by_system(scores).items():
        judges = {_DATED.sub("", one.judge) for one in of.values() if one.judge}
        group = (entry.reader, " and ".join(sorted(judges)) or None)
        groups.setdefault(group, []).append((entry, of))
    for reader in [reader for reader, judge in groups if judge is None]:
        judged = [other for other in groups if other[0] == reader and other[1]]
        if len(judged) == 1:
            groups[judged[0]] += groups.pop((reader, None))
    most = {group: max(len(scores) for _, scores in of) for group, of in groups.items()}
    return dict(sorted(groups.items(), key=lambda item: -most[item[0]]))


def list_rows(figures: Iterable[Figure]) -> list[BoardRow]:
    """Return the systems of all groups, those of one group together."""
    return [
        BoardRow(group, system, of)
        for group, entries in group_systems(figures).items()
        for system, of in entries
    ]


def compared_most(rows: Iterable[BoardRow], column: str) -> list[BoardRow]:
    """Return the rows of the group that has the most systems with comparable figures on a column.

    Empty if no figure on it can be compared.
    """
    groups: dict[Group, list[BoardRow]] = {}
    for row in rows:
        figure = row.figures.get(column)
        if figure and not figure.unlike:
            groups.setdefault(row.group, []).append(row)
    return max(groups.values(), key=len, default=[])
