"""The sections about one run: scores, diagnosis, retrieval, places, lengths, time, errors."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from mabench.page.charts import Dot, Scale, dots_of, draw_curves, draw_rows, log_scale
from mabench.page.document import Chart, Section, interval_notes
from mabench.page.figures import Bin, Share, answer_times, bin_lengths, bin_places, error_kinds
from mabench.page.questions import PageQuestion
from mabench.reports.calls import call_remarks, calls_table
from mabench.reports.diagnosis import diagnosis
from mabench.reports.remarks import score_remarks
from mabench.reports.run_tables import run_tables
from mabench.reports.tables import Column, Value, plain_columns, tabulate
from mabench.results import RunSummary

_PERCENT = Scale("percent of questions")
_BOTH = {"Official": "official", "Corrected": "corrected"}
_RETRIEVAL_LANES = {"hit at 1": 0, "hit at 5": 0, "hit at 10": 0, "right when hit": 1}
_TIMES = (
    *("Source", "Memorize s", "Answer s, p50", "p95", "Longest"),
    *("Tokens in", "Tokens out", "US dollars"),
)


def run_sections(summary: RunSummary, questions: Sequence[PageQuestion]) -> Iterator[Section]:
    """Yield the sections about a run, but for those that have nothing to say."""
    yield _scores(summary)
    yield Section(
        "diagnosis",
        "What stands out",
        findings=[*(summary.damaged or ()), *diagnosis(summary)],
        notes=[*score_remarks(summary)],
    )
    yield from _retrieval(summary)
    yield _places(questions)
    yield from _lengths(questions)
    yield _times(summary, questions)
    if summary.calls:
        tables = [table for table in [calls_table(summary.calls)] if table.values]
        remarks = [*call_remarks(summary.calls)]
        yield Section("calls", "Calls of models", tables=tables, notes=remarks)
    if kinds := error_kinds(questions):
        rows = [(kind, number, message[:200]) for kind, number, message in kinds]
        columns = plain_columns(("Kind", "Questions", "The first says"), texts=(0, 2))
        yield Section("errors", "Errors", tables=[tabulate(columns, rows)])


def _scores(summary: RunSummary) -> Section:
    tables = run_tables(summary)
    (table,), categories, types = tables["sources"], tables["categories"], tables["types"]
    dots = dots_of(table, _BOTH)
    for means in categories:
        dots += [dot for dot in dots_of(means, _BOTH) if dot.label == "Overall"]
    if not dots:
        every = [table, *categories, *types]
        return Section("scores", "Scores", ["No source has a score yet."], tables=every)
    title = "Official and corrected scores by source"
    drawing = draw_rows(dots, Scale("score, 0 to 100"))
    chart = Chart(title, drawing, table, interval_notes(dots))
    complete = any(category.complete for category in summary.categories.values())
    others = [*(categories if complete else []), *types]
    return Section("scores", "Scores", charts=[chart], tables=others)


def _retrieval(summary: RunSummary) -> Iterator[Section]:
    shown = run_tables(summary)
    if not shown["retrieval"]:
        return
    (table,), tables = shown["retrieval"], [*shown["evidence"]]
    sentence = (
        "A hit at k: a gold stands in the first k passages. It is looked for only where answers "
        "are taken from the history word for word."
    )
    dots = dots_of(table, {name.capitalize(): name for name in _RETRIEVAL_LANES})
    charts = []
    if dots:
        drawing = draw_rows(dots, _PERCENT, _RETRIEVAL_LANES)
        charts.append(Chart("Golds retrieved, and answered when retrieved", drawing, table))
    else:
        tables.insert(0, table)
    yield Section("retrieval", "Retrieval", [sentence], charts=charts, tables=tables)


def _places(questions: Sequence[PageQuestion]) -> Section:
    bins = bin_places(questions)
    title = "Where the gold stands"
    if not bins:
        why = "No gold of this run can be looked for in its histories."
        return Section("place", title, [why])
    sentence = (
        "Score and hit by how deep in the history the gold stands: 0 % is its beginning. Of a "
        "gold in several chunks, the last counts."
    )
    along = "place of the gold in the history"
    chart = _chart_bins(bins, "Score and hit by place of the gold", along, "Place")
    return Section("place", title, [sentence], charts=[chart])


def _lengths(questions: Sequence[PageQuestion]) -> Iterator[Section]:
    """Yield score and hit by the length of the history, unless all are about alike."""
    bins = bin_lengths(questions)
    if len(bins) > 1:
        sentence = "Longer histories often come from other sources: compare within one, too."
        title, along = "Score and hit by length of the history", "tokens of the history, about"
        chart = _chart_bins(bins, title, along, "Tokens")
        yield Section("length", "Length of the history", [sentence], charts=[chart])


def _chart_bins(bins: Sequence[Bin], title: str, along: str, header: str) -> Chart:
    def limits(share: Share | None) -> Value:
        these = share.mean.these if share else None
        return f"{these[0]:.1f} to {these[1]:.1f}" if these else None

    columns: tuple[Column[Bin], ...] = (
        Column(header, lambda row: row.name),
        Column("Score", lambda row: row.score and row.score.mean, ".1f"),
        Column("95 % interval", lambda row: limits(row.score), ""),
        Column("n", lambda row: row.score.n if row.score else 0, ","),
        Column("Gold retrieved", lambda row: row.hit and row.hit.mean, ".1f"),
        Column("95 % interval", lambda row: limits(row.hit), ""),
        Column("n sought", lambda row: row.hit.n if row.hit else 0, ","),
    )
    table = tabulate(columns, bins)
    dots = dots_of(table, {"Score": "score", "Gold retrieved": "gold retrieved"})
    note = "Bars: the 95 % interval for other questions about these histories."
    return Chart(title, draw_curves(dots, along, _PERCENT), table, [note])


def _times(summary: RunSummary, questions: Sequence[PageQuestion]) -> Section:
    dots: list[Dot] = []
    rows: list[Sequence[Value]] = []
    for name, source in summary.sources.items():
        of_source = [one for one in questions if one.view.sample.source == name]
        times = answer_times(of_source)
        seconds = map(_seconds, (source.seconds_memorize, *(times or (None, None, None))))
        amounts = (source.input_tokens, source.output_tokens)
        tokens = (None if amount is None else f"{amount:,}" for amount in amounts)
        cost = None if source.cost is None else f"{source.cost:,.4f}"
        rows.append((name, *seconds, *tokens, cost))
        if times and times.p50 > 0:
            text = f"{duration(times.p50)}\N{EN DASH}{duration(times.p95)}"
            p50, p95 = 1000 * times.p50, 1000 * times.p95
            dots.append(Dot(name, "median", p50, new=(p50, p95), text=text))
    table = tabulate(plain_columns(_TIMES), rows)
    if not dots:
        return Section("time", "Time, tokens and cost", tables=[table])
    ends = [end for dot in dots for end in (dot.value, *(dot.new or ()))]
    scale = log_scale("milliseconds, on a logarithmic scale", ends)
    title = "Time to an answer: the median, with a line to the 95th percentile"
    chart = Chart(title, draw_rows(dots, scale), table)
    return Section("time", "Time, tokens and cost", charts=[chart])


def _seconds(value: float | None) -> Value:
    return None if value is None else f"{value:,.3f}" if value < 1 else f"{value:,.1f}"


def duration(value: float) -> str:
    """Return seconds for a reader."""
    return f"{1000 * value:.3g} ms" if value < 1 else f"{value:.3g} s"
