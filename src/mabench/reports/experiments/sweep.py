"""The report of a sweep: a row of scores for each agent and value.

A sweep runs agents on made-up rows several times, with other values of one setting of these rows,
its knob, such as the length of histories. A point is the run of one agent at one value.
"""

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

# Times are shown if any of them is longer than these seconds.
_NOTICED = 0.001


def sweep_report(points: Sequence[SweepPoint]) -> Report:
    """Return a report with a row of scores and seconds for each agent and value."""
    scores: list[Column[SweepPoint]] = score_columns(lambda point: point.source)
    columns: list[Column[SweepPoint]] = [
        Column("Agent", lambda point: point.agent, least=8),
        # The title has it, too.
        Column("Source", lambda point: point.source_name, drop_rank=lambda _: 1, key=True),
        Column(points[0].knob, lambda point: point.value, spec=",", key=True),
        Column("n", lambda point: point.source.n, spec=""),
        *scores,
        Column("Hits", _hits, spec=".1f", when=lambda points: any(map(_hits, points))),
        Column(
            "Memorize s", lambda point: point.source.seconds_memorize, spec=".2f", when=_are_slow
        ),
        Column("Answer s", lambda point: point.source.seconds_answer, spec=".2f", when=_are_slow),
        Column("95 % interval, official", _write_interval, spec="", formats=["page"]),
    ]
    agents = ", ".join(dict.fromkeys(point.agent for point in points))
    title = f"{agents} on {points[0].source_name} by {points[0].knob}, made-up rows"
    report = Report.of(title, [tabulate(columns, points)])
    failures = [
        f"{point.agent}, {point.knob} {point.value:,}: {sentence}"
        for point in points
        for sentence in failure_remarks(point.run.summary)
    ]
    return report._replace(first=failures)


def _hits(point: SweepPoint) -> float | None:
    """Return for how many of 100 questions the support was retrieved; None if unknown."""
    return point.source.retrieval.hit if point.source.retrieval else None


def _write_interval(point: SweepPoint) -> str | None:
    """Return the interval of the official score; None without a score."""
    official = point.source.measures["official"]
    return official.range() if official else None


def _are_slow(points: Sequence[SweepPoint]) -> bool:
    """Return whether memorizing or answering took long enough to be shown at any point."""
    for point in points:
        memorizing = point.source.seconds_memorize or 0.0
        answering = point.source.seconds_answer or 0.0
        if max(memorizing, answering) > _NOTICED:
            return True
    return False


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
    remarks = [
        f"{points[0].knob} {value:,}: {' '.join(standings_report(comparison).remarks)}"
        for value, comparison in compared.items()
    ]
    on_points = sweep_report(points)
    first = [*on_points.first, sweep_sentence(points)]
    full_report = on_points._replace(remarks=remarks, first=first)
    report = brief_sweep(full_report) if layout == "table" and not full else full_report
    show_reports(
        [report],
        lambda: _list_content(points, compared),
        layout,
        console,
        lambda: _list_scores(points),
    )


def _list_content(
    points: Sequence[SweepPoint], comparisons: Mapping[int | float, Comparison]
) -> object:
    """Return what JSON has of a sweep: its points, and the comparisons if there are any."""
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
    if not comparisons:
        return listed
    pairs = [{"value": value, **each.as_dict()} for value, each in comparisons.items()]
    return {"points": listed, "comparisons": pairs}


def _list_scores(points: Sequence[SweepPoint]) -> Table:
    """Return the table that CSV has of a sweep: a line for each figure, with the value."""
    rows = []
    for point in points:
        of_point = (str(point.run.folder), point.agent, point.value, point.source_name)
        for line in score_rows(point.run.summary):
            if line.score is not None:
                limits = (line.low, line.high, line.interval)
                rows.append((*of_point, line.metric, line.n, line.score, *limits))
    titles = ("run", "agent", points[0].knob, "source", "metric", "n", "score", *LIMITS)
    return plain_table(titles, rows)
