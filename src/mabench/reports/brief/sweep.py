"""The short report of a sweep: the scores of each agent at both ends of the values, and one table.

A sweep runs agents on made-up rows several times, with other values of one setting of these rows,
its knob, such as the length of histories.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from mabench.reports.brief.remarks import first_remarks
from mabench.reports.report import Report
from mabench.reports.tables import Table
from mabench.results import Measure
from mabench.runs import SweepPoint

# Of how many agents the sentence has scores, at most.
_MOST_AGENTS = 3
# What the titles of columns with times end in: a number of seconds.
_TIME_TITLE = " s"


def brief_sweep(full: Report) -> Report:
    """Return the short report of a sweep; ``full`` is the long one."""
    return full._replace(
        title="",
        tables=[_keep_informative(table) for table in full.tables],
        remarks=first_remarks([*full.remarks, *full.notes]),
        notes=[],
    )


def sweep_sentence(points: Sequence[SweepPoint]) -> str:
    """Return the scores of each agent at the smallest value and at the largest.

    ``points`` are all of one source and one knob.
    """
    values = [point.value for point in points]
    ends = [min(values)] if min(values) == max(values) else [min(values), max(values)]
    at_ends = " and ".join(f"{value:,}" for value in ends)
    agents = [*dict.fromkeys(point.agent for point in points)]
    scored = [
        f"{agent} {' to '.join(_list_scores(points, agent, ends))}"
        for agent in agents[:_MOST_AGENTS]
    ]
    others = len(agents) - _MOST_AGENTS
    more = f", and {others} more" if others > 0 else ""
    where = f"On {points[0].source_name} (made up) at {points[0].knob} {at_ends}"
    return f"{where}: {', '.join(scored)}{more}."


def _list_scores(
    points: Sequence[SweepPoint], agent: str, values: Sequence[int | float]
) -> Iterator[str]:
    """Yield the official score of an agent at each of some values."""
    for value in values:
        for point in points:
            if point.agent == agent and point.value == value:
                official = point.source.official
                yield "no score yet" if official is None else f"{Measure(official)}"


def _keep_informative(table: Table) -> Table:
    """Return a table without times, and without columns that say nothing new."""
    is_kept = []
    for column, rank in zip(table.columns, table.ranks, strict=True):
        says_nothing_new = rank > 0  # See ``Column.drop_rank``.
        is_time = column.title.endswith(_TIME_TITLE)
        is_kept.append(not says_nothing_new and not is_time)
    return table.keep_columns(is_kept)
