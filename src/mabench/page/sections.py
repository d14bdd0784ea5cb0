"""The sections about one run: scores, diagnosis, retrieval, places, lengths, time, errors.

Places, lengths and times are in no summary: they are added up here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from math import ceil, floor, log2, log10
from typing import NamedTuple

import numpy as np

from mabench.page.charts import Dot, Scale, dots_of, draw_curves, draw_parts, draw_rows
from mabench.page.document import Chart, Section, interval_notes
from mabench.page.questions import PageQuestion
from mabench.reports.costs import call_remarks, calls_table, duration
from mabench.reports.layout import titles_of
from mabench.reports.remarks import diagnosis, score_remarks
from mabench.reports.run_tables import DEPTHS, PART_HEADS, run_tables
from mabench.reports.tables import Column, Measure, Value, plain_columns, tabulate
from mabench.results import PARTS, RunSummary
from mabench.uncertainty import Grouped, these_histories

_PERCENT = Scale("percent of questions")
INTERVAL_NOTE = "Bars: the 95 % interval for other questions about these histories."
_BOTH = {"Official": "official", "Corrected": "corrected"}
_RETRIEVAL_LANES = {
    **{f"{hit} at {depth}": 0 for hit in ("Hit", "Mentioned") for depth in DEPTHS},
    "Right when hit": 1,
    "Right when mentioned": 1,
}
_TIMES = (
    *("Source", "Answer s, p50", "p95", "Longest"),
    *("Tokens in", "Tokens out", "US dollars"),
)


def run_sections(summary: RunSummary, questions: Sequence[PageQuestion]) -> Iterator[Section]:
    """Yield the sections about a run, but for those that have nothing to say."""
    yield _scores(summary)
    yield from _parts(summary)
    yield Section(
        "diagnosis",
        "What stands out",
        findings=[*(summary.damaged or ()), *diagnosis(summary)],
        notes=[*score_remarks(summary)],
    )
    yield from _retrieval(summary)
    yield _places(questions)
    if charts := [*_lengths(questions)]:
        yield Section("length", "Length of the history", charts=charts)
    if memories := run_tables(summary)["memory"]:
        yield Section("memory", "Memory", tables=memories)
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


def _parts(summary: RunSummary) -> Iterator[Section]:
    for table in run_tables(summary)["parts"]:
        heads = {column.title for column in table.columns}
        meanings = [
            f"{head}: {words.replace(':', ',')}."
            for (part, words), head in zip(PARTS.items(), PART_HEADS.values(), strict=True)
            if head in heads and part != "right"
        ]
        chart = Chart("Of 100 questions of each source", draw_parts(table), table, meanings)
        yield Section("parts", "What became of the questions", charts=[chart])


def _retrieval(summary: RunSummary) -> Iterator[Section]:
    shown = run_tables(summary)
    if not shown["retrieval"]:
        return
    sentence = (
        "A hit at k: all that the question rests on stands in the first k passages. Where the "
        "data do not say what that is, a gold may be mentioned there, which need not answer the "
        "question."
    )
    charts, tables = [], [*shown["evidence"]]
    for number, table in enumerate(shown["retrieval"]):
        titles = {column.title for column in table.columns}
        lanes = {name: lane for name, lane in _RETRIEVAL_LANES.items() if name in titles}
        if dots := dots_of(table, {name: name.lower() for name in lanes}):
            in_lanes = {name.lower(): lane for name, lane in lanes.items()}
            drawing = draw_rows(dots, _PERCENT, in_lanes)
            mentioned = "Hit at 1" not in lanes
            title = "Golds mentioned" if mentioned else "Evidence retrieved"
            charts.append(Chart(f"{title}, and answered then", drawing, table))
        else:
            tables.insert(number, table)
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


def _lengths(questions: Sequence[PageQuestion]) -> Iterator[Chart]:
    """Yield a chart for each source whose histories are not all about as long."""
    for source in dict.fromkeys(question.view.sample.source for question in questions):
        bins = bin_lengths(one for one in questions if one.view.sample.source == source)
        if len(bins) > 1:
            title = f"{source}: score and hit by length of the history"
            yield _chart_bins(bins, title, "tokens of the history, about", "Tokens")


def _chart_bins(bins: Sequence[Bin], title: str, along: str, header: str) -> Chart:
    def limits(share: _Share | None) -> Value:
        these = share.mean.these if share else None
        return f"{these[0]:.1f} to {these[1]:.1f}" if these else None

    columns: tuple[Column[Bin], ...] = (
        Column(header, lambda row: row.name),
        Column("Score", lambda row: row.score and row.score.mean, ".1f"),
        Column("95 % interval", lambda row: limits(row.score), ""),
        Column("n", lambda row: row.score.n if row.score else 0, ","),
        Column("Hit", lambda row: row.hit and row.hit.mean, ".1f"),
        Column("95 % interval", lambda row: limits(row.hit), ""),
        Column("n sought", lambda row: row.hit.n if row.hit else 0, ","),
    )
    table = tabulate(columns, bins)
    dots = dots_of(table, {"Score": "score", "Hit": "hit"})
    drawing = draw_curves(dots, [one.name for one in bins], along, _PERCENT)
    return Chart(title, drawing, table, [INTERVAL_NOTE])


def _times(summary: RunSummary, questions: Sequence[PageQuestion]) -> Section:
    dots: list[Dot] = []
    rows: list[Sequence[Value]] = []
    titles = titles_of([summary])
    for name, source in summary.sources.items():
        of_source = [one for one in questions if one.view.sample.source == name]
        times = answer_times(of_source)
        seconds = (
            None if value is None else f"{value:,.3f}" if value < 1 else f"{value:,.1f}"
            for value in times or (None, None, None)
        )
        amounts = (source.input_tokens, source.output_tokens)
        tokens = (None if amount is None else f"{amount:,}" for amount in amounts)
        cost = None if source.cost is None else f"{source.cost:,.4f}"
        rows.append((name, *seconds, *tokens, cost))
        if times and times[0] > 0:
            text = f"{duration(times[0])}\N{EN DASH}{duration(times[1])}"
            p50, p95 = 1000 * times[0], 1000 * times[1]
            dots.append(Dot(titles.get(name, name), "median", p50, new=(p50, p95), text=text))
    table = tabulate(plain_columns(_TIMES), rows)
    if not dots:
        return Section("time", "Time, tokens and cost", tables=[table])
    ends = [end for dot in dots for end in (dot.value, *(dot.new or ()))]
    low, high = floor(log10(min(ends))), ceil(log10(max(ends)))
    scale = Scale(
        "milliseconds, on a logarithmic scale", 10**low, 10 ** max(high, low + 1), log=True
    )
    title = "Time to an answer: the median, with a line to the 95th percentile"
    chart = Chart(title, draw_rows(dots, scale), table)
    return Section("time", "Time, tokens and cost", charts=[chart])


class _Share(NamedTuple):
    """The mean of ``n`` questions, from 0 to 100, with its interval for these histories."""

    n: int
    mean: Measure


class Bin(NamedTuple):
    """Questions that are alike in one thing, such as the place of their gold."""

    name: str  # What they have in common, for a reader.
    score: _Share | None  # Official; None where none has one.
    hit: _Share | None  # That were hit; None where that can be told of none.


def bin_places(questions: Iterable[PageQuestion]) -> list[Bin]:
    """Return the questions by the fifth of the history in which their last gold stands."""

    def fifth(question: PageQuestion) -> int | None:
        return None if question.depth is None else min(4, int(question.depth / 20))

    return _bins(questions, fifth, lambda n: f"{20 * n}\N{EN DASH}{20 * n + 20} %")


def bin_lengths(questions: Iterable[PageQuestion]) -> list[Bin]:
    """Return the questions about histories of known length, by doublings of the length."""

    def doublings(question: PageQuestion) -> int | None:
        return int(log2(question.history_tokens)) if question.history_tokens else None

    def amount(tokens: int) -> str:
        if tokens < 1000:
            return str(tokens)
        return f"{tokens / 1024:.0f}k" if tokens < 1024**2 else f"{tokens / 1024**2:.0f}M"

    return _bins(questions, doublings, lambda n: f"{amount(2**n)}\N{EN DASH}{amount(2 ** (n + 1))}")


def answer_times(questions: Sequence[PageQuestion]) -> tuple[float, float, float] | None:
    """Return the median, 95th percentile and most of the seconds that answers took.

    None unless they are known of every question.
    """
    seconds = [float(one.view.seconds) for one in questions if one.view.seconds is not None]
    if not seconds or len(seconds) < len(questions):
        return None
    median, p95 = np.quantile(seconds, [0.5, 0.95])
    return float(median), float(p95), max(seconds)


def error_kinds(questions: Iterable[PageQuestion]) -> list[tuple[str, int, str]]:
    """Return each kind of error with its number and first message, the most common first."""
    messages: dict[str, list[str]] = {}
    for question in questions:
        if question.view.sample.prediction is None:
            kind, _, message = (question.view.sample.error or "no answer").partition(":")
            messages.setdefault(kind, []).append(message.strip())
    kinds = [(kind, len(each), each[0]) for kind, each in messages.items()]
    return sorted(kinds, key=lambda kind: -kind[1])


def _bins(
    questions: Iterable[PageQuestion],
    bin_of: Callable[[PageQuestion], int | None],
    name_of: Callable[[int], str],
) -> list[Bin]:
    """Return the bins from the first to the last with a question; between them some have none."""
    bins: dict[int, list[PageQuestion]] = {}
    for question in questions:
        if (number := bin_of(question)) is not None:
            bins.setdefault(number, []).append(question)
    if not bins:
        return []
    return [
        Bin(
            name_of(number),
            _share(inside, lambda question: question.view.official),
            _share(inside, lambda question: question.hit and question.hit > 0),
        )
        for number in range(min(bins), max(bins) + 1)
        for inside in [bins.get(number, [])]
    ]


def _share(
    questions: Iterable[PageQuestion], value_of: Callable[[PageQuestion], float | None]
) -> _Share | None:
    values = [(one.key[:2], value) for one in questions if (value := value_of(one)) is not None]
    if not values:
        return None
    scores = Grouped.of([float(value) for _, value in values], [row for row, _ in values])
    interval = these_histories(scores)
    return _Share(len(values), Measure(100 * scores.mean, interval and interval.percent))
