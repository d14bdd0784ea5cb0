"""The short report of a sweep: from which score to which each agent came, and one table."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from mabench.reports.brief.remarks import first_remarks
from mabench.reports.report import Report
from mabench.reports.tables import Table
from mabench.results import Measure
from mabench.runs import SweepPoint

# A sentence has the scores of at most this many agents.
_MOST_AGENTS = 3


def brief_sweep(full: Report) -> Report:
    """Return the short report of a sweep; ``full`` is the long one."""
    return full._replace(
        title="",
        tables=[*map(_what_tells_something, full.tables)],
        remarks=first_remarks([*full.remarks, *full.notes]),
        notes=[],
    )


def sweep_sentence(points: Sequence[SweepPoint]) -> str:
    """Return the scores of each agent at the first value and at the last."""
    values = sorted({point.value for point in points})
    first = points[0]
    ends = dict.fromkeys((values[0], values[-1]))
    at = " and ".join(f"{value:,}" for value in ends)
    agents = [*dict.fromkeys(point.agent for point in points)]
    scored = [
        f"{agent} {' to '.join(_scores(points, agent, [*ends]))}" for agent in agents[:_MOST_AGENTS]
    ]
    more = f", and {len(agents) - _MOST_AGENTS} more" if len(agents) > _MOST_AGENTS else ""
    where = f"On {first.source_name} (made up) at {first.knob} {at}"
    return f"{where}: {', '.join(scored)}{more}."


def _scores(
    points: Sequence[SweepPoint], agent: str, values: Sequence[int | float]
) -> Iterator[str]:
    for value in values:
        for point in points:
            if (point.agent, point.value) == (agent, value):
                official = point.source.official
                yield "no score yet" if official is None else f"{Measure(official)}"


def _what_tells_something(table: Table) -> Table:
    """Return a table without times, and without columns that say nothing new."""
    kept = [
        place
        for place, column in enumerate(table.columns)
        if table.ranks[place] <= 0 and not column.title.endswith(" s")
    ]
    return Table(
        [table.columns[place] for place in kept],
        [[row[place] for place in kept] for row in table.values],
        [table.ranks[place] for place in kept],
    )
