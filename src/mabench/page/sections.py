"""The sections about one run: scores, diagnosis, retrieval, places, lengths, time, errors."""

from __future__ import annotations

from collections.abc import Sequence

from mabench.page.charts import Dot, Scale, curves, log_scale, rows_of_dots
from mabench.page.content import Asked
from mabench.page.figures import Bin, Share, Times, by_length, by_place, error_kinds, times
from mabench.page.parts import Chart, Section, interval_notes, score_dot
from mabench.reports.call_tables import call_remarks, calls_table
from mabench.reports.diagnosis import diagnosis
from mabench.reports.layout import NONE, Table, interval_cell, score_cell
from mabench.reports.remarks import score_remarks
from mabench.reports.run_tables import (
    category_tables,
    evidence_table,
    retrieval_table,
    source_table,
    type_tables,
)
from mabench.results import Intervals, Run, RunSummary

PERCENT = Scale("percent of questions")
_SCORE = Scale("score, 0 to 100")
_RETRIEVAL_LANES = {"hit at 1": 0, "hit at 5": 0, "hit at 10": 0, "right when hit": 1}


def run_sections(run: Run, questions: Sequence[Asked]) -> list[Section]:
    """Return the sections about a run, but for those that have nothing to say."""
    summary = run.summary
    sections = [
        scores(summary),
        Section(
            "diagnosis",
            "What stands out",
            findings=[*(summary.damaged or ()), *diagnosis(summary)],
            notes=score_remarks(summary),
        ),
        retrieval(summary),
        places(questions),
        lengths(questions),
        seconds(summary, questions),
        calls(summary),
        errors(questions),
    ]
    return [section for section in sections if section is not None]


def scores(summary: RunSummary) -> Section:
    """Return the scores by source, official beside corrected, with both intervals."""
    dots = []
    for name, source in summary.sources.items():
        dots += _score_dots(name, source.official, source.interval, "official")
        dots += _score_dots(name, source.corrected, source.interval_corrected, "corrected")
    if summary.overall is not None:
        dots += _score_dots("Overall", summary.overall, summary.overall_interval, "official")
        corrected = summary.overall_corrected_interval
        dots += _score_dots("Overall", summary.overall_corrected, corrected, "corrected")
    table, categories, types = source_table(summary), category_tables(summary), type_tables(summary)
    if not dots:
        tables = [table, *categories, *types]
        return Section("scores", "Scores", ["No source has a score yet."], tables=tables)
    chart = Chart(
        "Official and corrected scores by source",
        rows_of_dots(dots, _SCORE),
        table,
        interval_notes(dots),
    )
    complete = any(category.complete for category in summary.categories.values())
    shown = [*(categories if complete else []), *types]
    return Section("scores", "Scores", charts=[chart], tables=shown)


def _score_dots(
    label: str, value: float | None, intervals: Intervals | None, series: str
) -> list[Dot]:
    if value is None:
        return []
    return [score_dot(label, series, value, intervals, interval_cell(value, intervals))]


def retrieval(summary: RunSummary) -> Section | None:
    """Return how often a gold was retrieved, beside how often it was answered then."""
    table = retrieval_table(summary)
    if table is None:
        return None
    dots = []
    for name, source in summary.sources.items():
        found = source.retrieval
        for depth, hit in ((found.hit_at if found else None) or {}).items():
            dots.append(Dot(label=name, series=f"hit at {depth}", value=hit))
        if found and found.answered_when_hit is not None:
            dots.append(Dot(label=name, series="right when hit", value=found.answered_when_hit))
    sentence = (
        "A hit at k: a gold stands in the first k passages. It is looked for only where answers "
        "are taken from the history word for word."
    )
    evidence = [one for one in [evidence_table(summary)] if one]
    if not dots:
        return Section("retrieval", "Retrieval", [sentence], tables=[table, *evidence])
    drawing = rows_of_dots(dots, PERCENT, _RETRIEVAL_LANES)
    chart = Chart("Golds retrieved, and answered when retrieved", drawing, table)
    return Section("retrieval", "Retrieval", [sentence], [chart], evidence)


def places(questions: Sequence[Asked]) -> Section:
    """Return score and hit by where in the history the gold stands."""
    bins = by_place(questions)
    title = "Where the gold stands"
    if not bins:
        why = "No gold of this run can be looked for in its histories."
        return Section("place", title, [why])
    sentence = (
        "Score and hit by how deep in the history the gold stands: 0 % is its beginning. Of a "
        "gold in several chunks, the last counts."
    )
    along = "place of the gold in the history"
    return Section(
        "place",
        title,
        [sentence],
        [_by_bin(bins, "Score and hit by place of the gold", along, "Place")],
    )


def lengths(questions: Sequence[Asked]) -> Section | None:
    """Return score and hit by the length of the history; None where all are about alike."""
    bins = by_length(questions)
    if len(bins) < 2:
        return None
    sentence = "Longer histories often come from other sources: compare within one, too."
    along = "tokens of the history, about"
    chart = _by_bin(bins, "Score and hit by length of the history", along, "Tokens")
    return Section("length", "Length of the history", [sentence], [chart])


def _by_bin(bins: Sequence[Bin], title: str, along: str, header: str) -> Chart:
    dots = []
    for one in bins:
        for series, share in (("score", one.score), ("gold retrieved", one.hit)):
            if share:
                low, high = share.limits or (None, None)
                value = share.mean
                dots.append(Dot(label=one.name, series=series, value=value, low=low, high=high))
    headers = (header, "Score", "95 % interval", "n", "Gold retrieved", "95 % interval", "n sought")
    rows = [(one.name, *_share_cells(one.score), *_share_cells(one.hit)) for one in bins]
    table = Table(headers, rows, (False, *[True] * 6))
    note = "Bars: the 95 % interval for other questions about these histories."
    return Chart(title, curves(dots, along, PERCENT), table, [note])


def _share_cells(share: Share | None) -> tuple[str, str, str]:
    if share is None:
        return NONE, NONE, "0"
    limits = f"{share.limits[0]:.1f} to {share.limits[1]:.1f}" if share.limits else NONE
    return f"{share.mean:.1f}", limits, f"{share.n:,}"


def seconds(summary: RunSummary, questions: Sequence[Asked]) -> Section:
    """Return the seconds, tokens and dollars of each source."""
    by_source: dict[str, list[Asked]] = {}
    for question in questions:
        by_source.setdefault(question.source, []).append(question)
    took = {name: times(by_source.get(name, [])) for name in summary.sources}
    headers = (
        *("Source", "Memorize s", "Answer s, p50", "p95", "Longest"),
        *("Tokens in", "Tokens out", "US dollars"),
    )
    rows = [
        (
            name,
            _seconds(source.seconds_memorize),
            *_time_cells(took[name]),
            _count(source.input_tokens),
            _count(source.output_tokens),
            NONE if source.cost is None else f"{source.cost:,.4f}",
        )
        for name, source in summary.sources.items()
    ]
    table = Table(headers, rows, (False, *[True] * 7))
    dots = [
        Dot(
            label=name,
            series="median",
            value=1000 * one.p50,
            low_wide=1000 * one.p50,
            high_wide=1000 * one.p95,
            text=f"{duration(one.p50)}\N{EN DASH}{duration(one.p95)}",
        )
        for name, one in took.items()
        if one and one.p50 > 0
    ]
    if not dots:
        return Section("time", "Time, tokens and cost", tables=[table])
    ends = [end for dot in dots for end in (dot.value, dot.high_wide or dot.value)]
    scale = log_scale("milliseconds, on a logarithmic scale", ends)
    title = "Time to an answer: the median, with a line to the 95th percentile"
    chart = Chart(title, rows_of_dots(dots, scale), table)
    return Section("time", "Time, tokens and cost", charts=[chart])


def calls(summary: RunSummary) -> Section | None:
    """Return what the calls of models took, by phase and model; None where none are known."""
    known = summary.calls
    if known is None:
        return None
    table = calls_table(known)
    return Section(
        "calls",
        "Calls of models",
        tables=[table] if table.rows else [],
        notes=[*call_remarks(known)],
    )


def errors(questions: Sequence[Asked]) -> Section | None:
    """Return the errors by kind; None without any."""
    kinds = error_kinds(questions)
    if not kinds:
        return None
    rows = [(kind, str(number), message[:200]) for kind, number, message in kinds]
    table = Table(("Kind", "Questions", "The first says"), rows, (False, True, False))
    return Section("errors", "Errors", tables=[table])


def _time_cells(one: Times | None) -> tuple[str, str, str]:
    return (_seconds(one.p50), _seconds(one.p95), _seconds(one.longest)) if one else (NONE,) * 3


def _seconds(value: float | None) -> str:
    return NONE if value is None else f"{value:,.3f}" if value < 1 else f"{value:,.1f}"


def duration(value: float) -> str:
    """Return seconds for a reader."""
    return f"{1000 * value:.3g} ms" if value < 1 else f"{value:.3g} s"


def _count(value: int | None) -> str:
    return NONE if value is None else f"{value:,}"


def hit_share(questions: Sequence[Asked]) -> str:
    """Return the share of questions with a gold retrieved, of those for which it is sought."""
    hits = [one.result.hit for one in questions if one.result.hit is not None]
    return score_cell(100 * sum(hit > 0 for hit in hits) / len(hits)) if hits else NONE
