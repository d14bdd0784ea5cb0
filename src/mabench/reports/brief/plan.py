"""The short report of a plan: how many histories show a difference between agents, and one table.

A design is a number of histories of a source, with the difference that a comparison on them shows
at some power: in that percentage of comparisons.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from mabench.comparison import Design, Plan
from mabench.printable import write_count, write_points
from mabench.reports.brief.remarks import first_remarks
from mabench.reports.costs.durations import write_hours
from mabench.reports.report import Report

# The power of the designs in sentences, in percent.
_POWER = 80
# How many sources a sentence has at most.
_MOST_SOURCES = 3
# What a design needs that has no number of histories.
_TOO_MANY = "over 10,000 histories"


def brief_plan(reports: Sequence[Report]) -> Report:
    """Return the short report of a plan: the first of the full ``reports``, and the first notes."""
    notes = [note for report in reports for note in report.notes]
    return Report(first=reports[0].first, tables=reports[0].tables, remarks=first_remarks(notes))


def plan_sentences(plan: Plan) -> Iterator[str]:
    """Yield what it takes to show the difference, and what the budget shows, if each was asked."""
    designs = [design for design in plan.designs if design.power == _POWER]
    for_difference = [design for design in designs if design.purpose == "difference"]
    if for_difference:
        points = write_points(for_difference[0].difference or 0.0)
        agents = [*plan.agents] if len(plan.agents) > 1 else [*plan.agents, "another"]
        yield (
            f"To show a difference of {points} between {' and '.join(agents)} in {_POWER} of 100 "
            f"comparisons takes {_list_designs(for_difference, _write_size)}."
        )
    for_budget = [design for design in designs if design.purpose == "budget"]
    if for_budget:
        differences = _list_designs(for_budget, _write_difference)
        yield f"The budget shows, in {_POWER} of 100 comparisons, {differences}."


def _list_designs(designs: Sequence[Design], write: Callable[[Design], str]) -> str:
    """Return what ``write`` says of each design, with its source if they have several.

    There is a design for each source; of many, only the first are listed.
    """
    has_several_sources = len({design.source for design in designs}) > 1
    listed = []
    for design in designs[:_MOST_SOURCES]:
        of_source = f" of {design.source}" if has_several_sources else ""
        listed.append(f"{write(design)}{of_source}")
    others = len(designs) - _MOST_SOURCES
    if others > 0:
        listed.append(f"and more for {write_count(others, 'other source')}")
    return ", ".join(listed)


def _write_size(design: Design) -> str:
    """Return how many histories a design needs, and what these take as far as it is known."""
    if design.histories is None:
        return _TOO_MANY
    amounts = [f"{design.histories * design.questions:,} questions"]
    if design.cost is not None:
        amounts.append(f"${design.cost:,.2f}")
    time = write_hours(design.hours or None)
    if time:
        amounts.append(time)
    return f"{write_count(design.histories, 'history')} ({', '.join(amounts)})"


def _write_difference(design: Design) -> str:
    """Return which difference between two agents a design shows, in points."""
    if design.difference is None:
        return "no difference"
    return f"a difference of {design.difference:.1f} points"
