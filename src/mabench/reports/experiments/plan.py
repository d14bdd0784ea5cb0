"""The report of a plan: designs of comparisons, and what they assume."""

from __future__ import annotations

from collections.abc import Iterator

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
    titles, reports = plan.titles or {}, []
    purposes = {
        "difference": f"To tell {' and '.join(plan.agents)} apart",
        "budget": "What the budget can show",
        "published": "What all published rows can show",
    }
    for purpose, title in purposes.items():
        if designs := [design for design in plan.designs if design.purpose == purpose]:
            report = Report(title, [tabulate(_DESIGNS, designs)])
            # The published rows are not those of the runs, and keep their names.
            reports.append(report if purpose == "published" else retitle(report, titles))
    reports[-1] = reports[-1]._replace(notes=[*_plan_notes(plan)])
    reports[0] = reports[0]._replace(first=retitle([*plan_sentences(plan)], titles))
    if layout == "table" and not full:
        reports = [brief_plan(reports)]
    show_reports(reports, plan.as_dict, layout, console, lambda: record_table(plan.designs))


def _plan_notes(plan: Plan) -> Iterator[str]:
    yield say("power")
    if any(design.low for design in plan.designs):
        yield "95 %: the range of histories if the variance is at either end of its interval."
    if any(design.hours for design in plan.designs):
        yield say("time")
    if not plan.agents[1:]:
        yield "As if another agent cost and varied as much, with nothing in common."
    few = (one.name for one in SOURCES if one.rows < MIN_HISTORIES)
    if single := ", ".join(name for name in few if name in plan.sources):
        yield say("no_price", names=single)
    if alone := ", ".join(name for name, one in plan.sources.items() if one.histories == 1):
        yield say("one_history", names=retitle(alone, plan.titles or {}))


_DESIGNS: tuple[Column[Design], ...] = (
    Column("Source", lambda each: each.source, when="several"),
    Column("Power", lambda each: each.power, ".0f", key=True),
    Column("Points", lambda each: each.difference, ".1f", "none"),
    Column("Histories", lambda each: each.histories, ",", ">10,000"),
    Column(
        "95 %",
        lambda each: each.low and f"{each.low} to {each.high or '>10,000'}",
        missing=">10,000 to >10,000",
        when="known",
    ),
    Column("Questions", lambda each: each.questions, ""),
    Column("Builds", lambda d: d.builds, "", when=lambda all_: any(d.builds > 1 for d in all_)),
    Column("Tokens memorized", lambda each: each.tokens, ",.0f", when="known"),
    Column("Of models", lambda each: each.model_tokens, ",.0f", when="known"),
    Column("Dollars", lambda each: each.cost, ".2f", when="known"),
    Column("Time", lambda each: write_hours(each.hours or None), "", when="known"),
)
