"""The report of a plan: designs of comparisons, and what they assume."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import Console

from mabench.comparison import Design, Plan
from mabench.data.inventory import SOURCES
from mabench.reports.brief.plan import brief_plan, plan_sentences
from mabench.reports.formats import show_reports
from mabench.reports.listings import list_table
from mabench.reports.report import Report
from mabench.reports.sentences import say
from mabench.reports.tables import record_table, retitle
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
            report = Report(title, [list_table(Design, designs)])
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
