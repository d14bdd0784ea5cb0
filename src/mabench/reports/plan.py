"""The report of a plan: what tells a difference, what a budget tells, and what cannot be told."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mabench.comparison import Design, Plan
from mabench.data.inventory import SOURCES
from mabench.reports.layout import Report, retitle, show_reports
from mabench.reports.tables import Column, tabulate
from mabench.uncertainty import MIN_HISTORIES

if TYPE_CHECKING:
    from rich.console import Console

_PURPOSES = {
    "difference": "",
    "budget": "What the budget tells",
    "published": "What all published rows tell, at any price",
}
_COLUMNS: tuple[Column[Design], ...] = (
    Column("Source", lambda each: each.source, when=lambda all_: len({d.source for d in all_}) > 1),
    Column("Vary", lambda d: d.variation, when=lambda all_: len({d.variation for d in all_}) > 1),
    Column("Power", lambda each: each.power, ".0f"),
    Column("Points", lambda each: each.difference, ".1f", "none"),
    Column("Histories", lambda each: each.histories, ",", ">10,000"),
    Column(
        "95 %",
        lambda each: f"{each.low or '>10,000'} to {each.high or '>10,000'}",
        when=lambda all_: any(each.low for each in all_),
    ),
    Column("Questions", lambda each: each.questions, ""),
    Column("Builds", lambda d: d.builds, "", when=lambda all_: any(d.builds > 1 for d in all_)),
    Column("Tokens told", lambda d: d.tokens, ",.0f", when=lambda a: any(d.tokens for d in a)),
    Column(
        "Of models", lambda d: d.model_tokens, ",.0f", when=lambda a: any(d.model_tokens for d in a)
    ),
    Column("Dollars", lambda d: d.cost, ".2f", when=lambda a: any(d.cost is not None for d in a)),
    Column("Hours", lambda d: d.hours, ".3g", when=lambda a: any(d.hours for d in a)),
)


def show_plan(plan: Plan, layout: str, console: Console) -> None:
    """Print a plan; raises ``UsageError`` for an unknown layout."""
    reports = []
    for purpose, title in _PURPOSES.items():
        designs = [design for design in plan.designs if design.purpose == purpose]
        if designs:
            title = title or f"To tell {' and '.join(plan.agents)} apart"
            reports.append(Report(title, [tabulate(_COLUMNS, designs)]))
    reports[-1] = reports[-1]._replace(notes=_notes(plan), remarks=_remarks(plan))
    titled = [retitle(report, plan.titles) for report in reports]
    show_reports(titled, plan.as_dict, layout, console, lambda: tabulate(_COLUMNS, plan.designs))


def _notes(plan: Plan) -> list[str]:
    notes = [
        "Power: how many of 100 comparisons on new histories find the difference (noncentral t, "
        "Raudenbush and Liu 2000).",
    ]
    if any(design.low for design in plan.designs):
        notes.append("95 %: histories if the runs' variance lies at an end of its interval.")
    if any("as the runs" not in pilot.kinds for pilot in plan.pilots):
        notes.append(
            "Vary: typical of bm25 with k = 10 against k = 3, and of floor against bm25, on "
            "synthetic:compare: calm on ruler and eventqa, middling on detective, rough on facts."
        )
    if not plan.agents[1:]:
        notes.append("As if another agent cost and varied as much, with nothing in common.")
    runs = {pilot.source for pilot in plan.pilots if pilot.histories}
    few = [
        one.name for one in SOURCES if one.rows < MIN_HISTORIES and (one.name in runs or not runs)
    ]
    if few:
        notes.append(
            f"No difference on new histories can be told at any price with the published rows of "
            f"{', '.join(few)}: one history each. `mabench generate` and `mabench race` make more."
        )
    return notes


def _remarks(plan: Plan) -> list[str]:
    return [
        f"{pilot.source}: one history shows questions and costs, and not how histories vary; that "
        "is typical here. Run two or more."
        for pilot in plan.pilots
        if pilot.histories == 1
    ]
