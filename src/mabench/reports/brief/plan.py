"""The short report of a plan: how many histories show a difference, and one table."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from mabench.comparison import Design, Plan
from mabench.printable import write_count, write_points
from mabench.reports.brief.remarks import first_remarks
from mabench.reports.costs.durations import write_hours
from mabench.reports.report import Report

# The power in the sentence.
_POWER = 80
# A sentence has at most this many sources.
_MOST_SOURCES = 3
_TOO_MANY = "over 10,000 histories"


def brief_plan(reports: Sequence[Report]) -> Report:
    """Return the short report of a plan; ``reports`` are the full ones."""
    first, *_ = reports
    notes = [note for report in reports for note in report.notes]
    return Report(first=first.first, tables=first.tables, remarks=first_remarks(notes))


def plan_sentences(plan: Plan) -> Iterator[str]:
    """Yield what it takes to show the difference, and what the budget shows."""
    likely = [design for design in plan.designs if design.power == _POWER]
    asked = [design for design in likely if design.purpose == "difference"]
    if asked:
        points = write_points(asked[0].difference or 0.0)
        agents = " and ".join(plan.agents) if plan.agents[1:] else f"{plan.agents[0]} and another"
        yield (
            f"To show a difference of {points} between {agents} in {_POWER} of 100 comparisons "
            f"takes {_list(asked, _size)}."
        )
    budget = [design for design in likely if design.purpose == "budget"]
    if budget:
        yield f"The budget shows, in {_POWER} of 100 comparisons, {_list(budget, _difference)}."


def _list(designs: Sequence[Design], write: Callable[[Design], str]) -> str:
    """Return what each source takes; of many, the first."""
    several = len({design.source for design in designs}) > 1
    listed = [
        f"{write(design)}{f' of {design.source}' * several}" for design in designs[:_MOST_SOURCES]
    ]
    if len(designs) > _MOST_SOURCES:
        listed.append(f"and more for {write_count(len(designs) - _MOST_SOURCES, 'other source')}")
    return ", ".join(listed)


def _size(design: Design) -> str:
    if design.histories is None:
        return _TOO_MANY
    amounts = [f"{design.histories * design.questions:,} questions"]
    if design.cost is not None:
        amounts.append(f"${design.cost:,.2f}")
    if hours := write_hours(design.hours or None):
        amounts.append(hours)
    return f"{write_count(design.histories, 'history')} ({', '.join(amounts)})"


def _difference(design: Design) -> str:
    if design.difference is None:
        return "no difference"
    return f"a difference of {design.difference:.1f} points"
