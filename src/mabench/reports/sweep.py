"""The report of a sweep: its table, and how its agents compare at each value."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from mabench.comparison import Comparison
from mabench.reports.comparison import best_remarks
from mabench.reports.layout import Report, show_reports
from mabench.reports.remarks import interval_remarks
from mabench.reports.tables import Column, Measure, Table, plain_columns, tabulate
from mabench.reports.tidy import LIMITS, score_rows
from mabench.runs import SweepPoint

if TYPE_CHECKING:
    from rich.console import Console


def sweep_title(points: Sequence[SweepPoint]) -> str:
    """Return what is swept: agents, source and knob."""
    agents = ", ".join(dict.fromkeys(point.agent for point in points))
    return f"{agents} on {points[0].source_name} by {points[0].knob}, made-up rows"


def sweep_table(points: Sequence[SweepPoint]) -> Table:
    """Return one row for each agent and value, with scores from 0 to 100 and seconds."""

    def official(point: SweepPoint) -> Measure | None:
        return Measure.of(point.source.official, point.source.interval)

    def corrected(point: SweepPoint) -> Measure | None:
        return Measure.of(point.source.corrected, point.source.interval_corrected)

    def hits(point: SweepPoint) -> float | None:
        return point.source.retrieval.hit if point.source.retrieval else None

    def interval(point: SweepPoint) -> str | None:
        return measure.range() if (measure := official(point)) else None

    columns: tuple[Column[SweepPoint], ...] = (
        Column("Agent", lambda point: point.agent, least=8),
        # The title says it, too.
        Column("Source", lambda point: point.source_name, spare=lambda _: 1, key=True),
        Column(points[0].knob, lambda point: point.value, ",", key=True),
        Column("n", lambda point: point.source.n, ""),
        Column(
            "Errors",
            lambda point: point.source.errors,
            "",
            spare=lambda points: 3 * (not any(point.source.errors for point in points)),
        ),
        Column("Official", official, ""),
        Column(
            "Corrected",
            corrected,
            "",
            spare=lambda points: 2 * all(corrected(each) == official(each) for each in points),
        ),
        Column("Hits", hits, ".1f", when=lambda points: any(hits(each) for each in points)),
        Column("Memorize s", lambda point: point.source.seconds_memorize, ".2f"),
        Column("Answer s", lambda point: point.source.seconds_answer, ".2f"),
        Column("95 % interval, official", interval, "", formats=["page"]),
    )
    return tabulate(columns, points)


def show_sweep(
    points: Sequence[SweepPoint],
    layout: str,
    console: Console,
    comparisons: Mapping[int | float, Comparison] | None = None,
) -> None:
    """Print a sweep, with the ``comparisons`` of its agents by value; raises ``UsageError``."""
    compared = comparisons or {}

    def content() -> object:
        listed = [
            {
                "agent": point.agent,
                "source": point.source_name,
                "knob": point.knob,
                "value": point.value,
                **point.source.as_dict(),
            }
            for point in points
        ]
        pairs = [{"value": value, **each.as_dict()} for value, each in compared.items()]
        return {"points": listed, "comparisons": pairs} if compared else listed

    def tidy() -> Table:
        titles = ("run", "agent", points[0].knob, "source", "metric", "n", "score", *LIMITS)
        rows = [
            (str(point.run.folder), point.agent, point.value, point.source_name, *more)
            for point in points
            for _, _, _, *more in score_rows(point.run.summary)
        ]
        scored = [row for row in rows if row[6] is not None]
        return tabulate(plain_columns(titles, texts=(0, 1, 3, 4, 9)), scored)

    table = sweep_table(points)
    remarks = []
    for value, comparison in compared.items():
        said = " ".join(best_remarks(comparison))
        remarks.append(f"{points[0].knob} {value:,}: {said}")
    report = Report(sweep_title(points), [table], remarks, interval_remarks([table]))
    show_reports([report], content, layout, console, tidy)
