"""The report of a sweep: a row of scores for each agent and value."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rich.console import Console

from mabench.comparison import Comparison
from mabench.reports.brief.sweep import brief_sweep, sweep_sentence
from mabench.reports.comparison import standings_report
from mabench.reports.failures import failure_remarks
from mabench.reports.formats import show_reports
from mabench.reports.program_tables import LIMITS, score_rows
from mabench.reports.report import Report
from mabench.reports.run_tables import score_columns
from mabench.reports.tables import Column, Table, plain_table, tabulate
from mabench.runs import SweepPoint

# Seconds from which on times are shown.
_NOTICED = 0.001


def sweep_report(points: Sequence[SweepPoint]) -> Report:
    """Return a report with a row of scores and seconds for each agent and value."""

    def hits(point: SweepPoint) -> float | None:
        return point.source.retrieval.hit if point.source.retrieval else None

    def interval(point: SweepPoint) -> str | None:
        return measure.range() if (measure := point.source.measures["official"]) else None

    scores: list[Column[SweepPoint]] = score_columns(lambda point: point.source)

    def slow(points: Sequence[SweepPoint]) -> bool:
        times = [(one.source.seconds_memorize, one.source.seconds_answer) for one in points]
        return any((seconds or 0) > _NOTICED for both in times for seconds in both)

    columns: list[Column[SweepPoint]] = [
        Column("Agent", lambda point: point.agent, least=8),
        # The title has it, too.
        Column("Source", lambda point: point.source_name, drop_rank=lambda _: 1, key=True),
        Column(points[0].knob, lambda point: point.value, ",", key=True),
        Column("n", lambda point: point.source.n, ""),
        *scores,
        Column("Hits", hits, ".1f", when=lambda points: any(hits(each) for each in points)),
        Column("Memorize s", lambda point: point.source.seconds_memorize, ".2f", when=slow),
        Column("Answer s", lambda point: point.source.seconds_answer, ".2f", when=slow),
        Column("95 % interval, official", interval, "", formats=["page"]),
    ]
    agents = ", ".join(dict.fromkeys(point.agent for point in points))
    title = f"{agents} on {points[0].source_name} by {points[0].knob}, made-up rows"
    report = Report.of(title, [tabulate(columns, points)])
    failures = (
        f"{point.agent}, {point.knob} {point.value:,}: {sentence}"
        for point in points
        for sentence in failure_remarks(point.run.summary)
    )
    return report._replace(first=[*failures])


def show_sweep(
    points: Sequence[SweepPoint],
    layout: str,
    console: Console,
    comparisons: Mapping[int | float, Comparison] | None = None,
    *,
    full: bool = False,
) -> None:
    """Print a sweep, with the ``comparisons`` of its agents by value; all of it if ``full``.

    Raises:
        UsageError: when the layout is unknown.
    """
    compared = comparisons or {}

    def content() -> object:
        keys = ("agent", "source", "knob", "value")
        named = ((one, (one.agent, one.source_name, one.knob, one.value)) for one in points)
        listed = [
            {**dict(zip(keys, key, strict=True)), **one.source.as_dict()} for one, key in named
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
        return plain_table(titles, (row for row in rows if row[6] is not None))

    remarks = [
        f"{points[0].knob} {value:,}: {' '.join(standings_report(comparison).remarks)}"
        for value, comparison in compared.items()
    ]
    report = sweep_report(points)._replace(remarks=remarks)
    report = report._replace(first=[*report.first, sweep_sentence(points)])
    if layout == "table" and not full:
        report = brief_sweep(report)
    show_reports([report], content, layout, console, tidy)
