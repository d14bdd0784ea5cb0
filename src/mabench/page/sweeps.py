"""The section about a sweep: how scores, hits and seconds change with one setting."""

from __future__ import annotations

from collections.abc import Sequence

from mabench.page.charts import Dot, Scale, curves
from mabench.page.parts import Chart, Section, interval_text, score_dot
from mabench.reports.experiment_tables import sweep_table
from mabench.reports.layout import Table
from mabench.runs import SweepPoint


def sweep_section(knob: str, points: Sequence[SweepPoint]) -> Section:
    """Return the curves of a sweep over the values of a setting."""
    dots = []
    for point in points:
        label, source = f"{point.value:,}", point.source
        for series, value, intervals in (
            ("official", source.official, source.interval),
            ("corrected", source.corrected, source.interval_corrected),
        ):
            if value is not None:
                dots.append(score_dot(label, series, value, intervals))
        hit = source.retrieval.hit if source.retrieval else None
        if hit is not None:
            dots.append(Dot(label=label, series="gold retrieved", value=hit))
    table = _with_intervals(sweep_table(knob, points), points)
    if not dots:
        return Section("curve", "Curve", ["No value has a score yet."], tables=[table])
    chart = Chart(
        f"Scores by {knob}",
        curves(dots, knob, Scale("score, or percent of questions")),
        table,
        ["Bars: the 95 % interval for other questions about these histories."],
    )
    return Section("curve", "Curve", charts=[chart])


def _with_intervals(table: Table, points: Sequence[SweepPoint]) -> Table:
    rows = [
        (*row, interval_text(point.source.interval))
        for row, point in zip(table.rows, points, strict=True)
    ]
    return Table((*table.headers, "95 % interval, official"), rows, (*table.numeric, True))
