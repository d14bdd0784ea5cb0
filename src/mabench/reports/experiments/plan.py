"""The report of a plan: how many histories a comparison of agents needs, and what that assumes.

A design is a number of histories of a source, with the difference that a comparison on them shows
at some power: in that percentage of comparisons.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.console import Console

from mabench.comparison import Design, Plan
from mabench.data.inventory import SOURCES
from mabench.reports.brief.plan import brief_plan, plan_sentences
from mabench.reports.costs.durations import write_hours
from mabench.reports.formats import show_reports
from mabench.reports.report import Report
from mabench.reports.sentences import say
from mabench.reports.tables import Column, record_table, retitle, tabulate
from mabench.uncertainty import MIN_HISTORIES


def show_plan(plan: Plan, layout: str, console: Console, *, full: bool = False) -> None:
    """Print a plan; on a terminal what it takes and one table, or all of it if ``full``.

    Raises:
        UsageError: when the layout is unknown.
    """
    reports = _purpose_reports(plan)
    reports[-1] = reports[-1]._replace(notes=[*_plan_notes(plan)])
    sentences = retitle([*plan_sentences(plan)], plan.titles or {})
    reports[0] = reports[0]._replace(first=sentences)
    if layout == "table" and not full:
        reports = [brief_plan(reports)]
    show_reports(reports, plan.as_dict, layout, console, lambda: record_table(plan.designs))


def _purpose_reports(plan: Plan) -> list[Report]:
    """Return a report with a table of designs for each purpose of the plan that has any."""
    purposes = {
        "difference": f"To tell {' and '.join(plan.agents)} apart",
        "budget": "What the budget can show",
        "published": "What all published rows can show",
    }
    reports = []
    for purpose, title in purposes.items():
        designs = [design for design in plan.designs if design.purpose == purpose]
        if designs:
            report = Report(title, [tabulate(_DESIGNS, designs)])
            # Sources of made-up rows have titles of their own, such as "Facts, made up"; a design
            # of the published rows is about the real ones, whose names stay.
            if purpose != "published":
                report = retitle(report, plan.titles or {})
            reports.append(report)
    return reports


def _plan_notes(plan: Plan) -> Iterator[str]:
    """Yield what the columns mean, what is assumed, and which sources have too few histories."""
    yield say("power")
    if any(design.low for design in plan.designs):
        yield "95 %: the range of histories if the variance is at either end of its interval."
    if any(design.hours for design in plan.designs):
        yield say("time")
    if len(plan.agents) == 1:
        yield "As if another agent cost and varied as much, with nothing in common."
    too_few_published = [
        source.name
        for source in SOURCES
        if source.rows < MIN_HISTORIES and source.name in plan.sources
    ]
    if too_few_published:
        yield say("no_price", names=", ".join(too_few_published))
    with_one_history = [name for name, source in plan.sources.items() if source.histories == 1]
    if with_one_history:
        names = retitle(", ".join(with_one_history), plan.titles or {})
        yield say("one_history", names=names)


def _write_range(design: Design) -> str | None:
    """Return between which numbers of histories a design may be in truth; None if unknown."""
    return f"{design.low} to {design.high or _TOO_MANY}" if design.low else None


def _has_builds(designs: Sequence[Design]) -> bool:
    """Return whether any design has more than one build of a memory."""
    return any(design.builds > 1 for design in designs)


# What a design needs that has no number of histories.
_TOO_MANY = ">10,000"
_DESIGNS: tuple[Column[Design], ...] = (
    Column("Source", lambda design: design.source, when="several"),
    Column("Power", lambda design: design.power, spec=".0f", key=True),
    Column("Points", lambda design: design.difference, spec=".1f", missing="none"),
    Column("Histories", lambda design: design.histories, spec=",", missing=_TOO_MANY),
    Column("95 %", _write_range, missing=f"{_TOO_MANY} to {_TOO_MANY}", when="known"),
    Column("Questions", lambda design: design.questions, spec=""),
    Column("Builds", lambda design: design.builds, spec="", when=_has_builds),
    Column("Tokens memorized", lambda design: design.tokens, spec=",.0f", when="known"),
    Column("Of models", lambda design: design.model_tokens, spec=",.0f", when="known"),
    Column("Dollars", lambda design: design.cost, spec=".2f", when="known"),
    Column("Time", lambda design: write_hours(design.hours or None), spec="", when="known"),
)
