"""The page of a run: scores, findings, retrieval, memory, time, errors and all questions.

Scores by place of the gold and by length of the history are computed here, as are times: no summary
has them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from math import log2
from statistics import fmean
from typing import NamedTuple

import numpy as np

from mabench.errors import UsageError
from mabench.page import document as doc
from mabench.page.charts import Dot, Scale, draw_curves, draw_parts, draw_rows
from mabench.page.pages import settings_of
from mabench.printable import write_count
from mabench.reports.brief.run import brief_run_report
from mabench.reports.costs.calls import call_remarks, calls_table
from mabench.reports.costs.durations import write_seconds
from mabench.reports.diagnosis import diagnose, look_remarks, store_remarks
from mabench.reports.failures import failure_remarks
from mabench.reports.run_tables import run_tables
from mabench.reports.score_remarks import score_remarks
from mabench.reports.sentences import say
from mabench.reports.tables import Column, Table, plain_table, tabulate, titles_of
from mabench.results import PARTS, Measure, Run, RunSummary, ScoredQuestion, SourceScores
from mabench.uncertainty import Grouped
from mabench.uncertainty.score_intervals import Intervals

# Characters of an error that are shown.
_LONGEST_MESSAGE = 200
_PERCENT = Scale("percent of questions")
# The columns of both scores, and the names of their series.
_BOTH_SCORES = {"Official": "official", "Corrected": "corrected"}
_SAME = "official and corrected"
# Places of golds are grouped by fifths of the history, each of which is 20 percent wide.
_FIFTHS, _FIFTH = 5, 20


def run_page(
    run: Run, title: str | None = None, data_page: str | None = None, *, served: bool = False
) -> str:
    """Return the page of a run as HTML; one that is ``served`` sends marks to its server.

    Questions link to ``data_page``, the page of its data.

    Raises:
        DataError: when the run cannot be read.
        UsageError: when no question has been asked yet.
        MissingPackageError: when a package is missing.
    """
    doc.require_packages()
    questions = doc.questions_of(run)
    if not questions:
        raise UsageError(f"{run.folder}: no question has been asked yet; a page needs at least one")
    summary, titles = run.summary, titles_of([run.summary])
    return doc.render(
        doc.name_page(title, summary.agent, f"{summary.data}, protocol {summary.protocol}"),
        tiles=_tiles(summary, questions),
        sections=run_sections(summary, questions),
        settings=settings_of([run], [summary.agent]),
        titles=titles,
        explorer=doc.explorer_of(
            [summary.agent],
            [run.folder.name],
            [questions],
            titles,
            data_page,
            run.store.marks(),
            served=served,
        ),
        served="run" if served else None,
    )


def run_sections(summary: RunSummary, questions: Sequence[ScoredQuestion]) -> Iterator[doc.Section]:
    """Yield the sections of a run's page; those without content are left out."""
    tables = run_tables(summary)
    yield doc.Section("result", "Result", findings=brief_run_report(summary, []).first)
    yield _scores_section(summary, tables)
    yield from _outcome_sections(summary, tables["parts"])
    looks = [*look_remarks(summary)]  # What was done, and not what was found.
    diagnosis = [sentence for sentence in diagnose(summary) if sentence not in looks]
    findings = [*failure_remarks(summary), *(summary.damaged or ()), *diagnosis]
    notes = [*score_remarks(summary), *looks]
    yield doc.Section("diagnosis", "Findings", findings=findings, notes=notes)
    for section in _later_sections(summary, questions, tables):
        yield section._replace(is_later=True)


def _later_sections(
    summary: RunSummary, questions: Sequence[ScoredQuestion], tables: Mapping[str, Sequence[Table]]
) -> Iterator[doc.Section]:
    """Yield the sections that follow the questions: what was retrieved, and what it took."""
    yield from _retrieval_sections(tables["retrieval"], tables["evidence"])
    yield _places_section(questions)
    charts = list(_length_charts(questions))
    if charts:
        yield doc.Section("length", "Length of the history", charts=charts)
    if tables["memory"] or tables["stores"]:
        of_memory = [*tables["memory"], *tables["stores"]]
        yield doc.Section("memory", "Memory", tables=of_memory, notes=[*store_remarks(summary)])
    yield _times_section(summary, questions)
    if summary.calls:
        calls = [table for table in [calls_table(summary.calls)] if table.values]
        remarks = [*call_remarks(summary.calls)]
        yield doc.Section("calls", "Calls of models", tables=calls, notes=remarks)
    yield from _error_sections(questions)


def _outcome_sections(summary: RunSummary, tables: Sequence[Table]) -> Iterator[doc.Section]:
    """Yield the section about what happened to the questions, if its table exists."""
    kinds_of_hits = {
        source.retrieval.by
        for source in summary.sources.values()
        if source.retrieval and source.retrieval.by is not None
    }
    hit_by = "mention" if kinds_of_hits == {"mention"} else None
    for table in tables:
        heads = {column.title for column in table.columns}
        meanings = [
            f"{part.head}: {part.describe(hit_by).replace(':', ',')}."
            for name, part in PARTS.items()
            if part.head in heads and name != "right"
        ]
        chart = doc.Chart("Of 100 questions of each source", draw_parts(table), table, meanings)
        yield doc.Section("parts", "What happened to the questions", charts=[chart])


def _error_sections(questions: Sequence[ScoredQuestion]) -> Iterator[doc.Section]:
    """Yield the section about errors, by kind, if there are any."""
    messages: dict[str, list[str]] = {}
    for question in questions:
        if question.sample.prediction is None:
            kind, _, message = (question.sample.error or "no answer").partition(":")
            messages.setdefault(kind, []).append(message.strip())
    if messages:
        rows = [
            (kind, len(of_kind), of_kind[0][:_LONGEST_MESSAGE])
            for kind, of_kind in messages.items()
        ]
        rows.sort(key=lambda row: row[1], reverse=True)
        titles = ("Kind", "Questions", "The first says")
        yield doc.Section("errors", "Errors", tables=[plain_table(titles, rows)])


def _scores_section(summary: RunSummary, tables: Mapping[str, Sequence[Table]]) -> doc.Section:
    """Return the section with the scores as a chart, or as tables if there are none."""
    (table,), categories, types = tables["sources"], tables["categories"], tables["types"]
    dots = _dots_of_scores(table)
    for means in categories:
        dots += [dot for dot in _dots_of_scores(means) if dot.label == "Overall"]
    if not dots:
        every = [table, *categories, *types]
        return doc.Section("scores", "Scores", ["No source has a score yet."], tables=every)
    title = "Official and corrected scores by source"
    drawing = draw_rows(dots, Scale("score, 0 to 100"))
    notes = doc.interval_notes(dots)
    if any(dot.series == _SAME for dot in dots):
        notes.append("Where both scores are equal, they are drawn once.")
    chart = doc.Chart(title, drawing, table, notes)
    complete = any(category.complete for category in summary.categories.values())
    others = [*categories, *types] if complete else types
    return doc.Section("scores", "Scores", charts=[chart], tables=others)


def _retrieval_sections(
    retrieval: Sequence[Table], evidence: Sequence[Table]
) -> Iterator[doc.Section]:
    """Yield the section about retrieval, if any passages were reported."""
    if not retrieval:
        return
    charts, tables = [], [*evidence]
    for number, table in enumerate(retrieval):
        names = [column.title for column in table.columns[2:]]
        dots = _dots_of(table, {name: name.lower() for name in names})
        if dots:
            # Hits at each depth share a line; the score of questions with a hit has its own.
            lanes = {name.lower(): 1 if name.startswith("Right") else 0 for name in names}
            title = "Evidence retrieved" if "Hit at 1" in names else "Golds mentioned"
            drawing = draw_rows(dots, _PERCENT, lanes)
            charts.append(doc.Chart(f"{title}, and answered then", drawing, table))
        else:
            tables.insert(number, table)
    yield doc.Section("retrieval", "Retrieval", [say("hit_at")], charts=charts, tables=tables)


def _places_section(questions: Sequence[ScoredQuestion]) -> doc.Section:
    """Return the section on scores by the fifth of the history that holds the last gold answer."""
    title = "Where the gold occurs"
    bins = _bins(questions, _fifth_of_gold)
    if not bins:
        return doc.Section("place", title, ["No gold of this run can be located in its histories."])
    along = "place of the gold in the history"
    named = {f"{_FIFTH * n}\N{EN DASH}{_FIFTH * (n + 1)} %": inside for n, inside in bins.items()}
    chart = _chart_bins(named, "Score and hit by place of the gold", along, "Place")
    return doc.Section("place", title, [say("by_depth")], charts=[chart])


def _fifth_of_gold(question: ScoredQuestion) -> int | None:
    """Return in which fifth of the history the gold is, from 0; None if that is unknown."""
    if question.gold_depth is None:
        return None
    fifth = int(question.gold_depth / _FIFTH)
    return min(_FIFTHS - 1, fifth)  # A gold at the very end is in the last one.


def _length_charts(questions: Sequence[ScoredQuestion]) -> Iterator[doc.Chart]:
    """Yield a chart of scores by length for each source with histories of different lengths.

    Each bin contains histories up to twice as long as the bin before.
    """
    for source in dict.fromkeys(question.sample.source for question in questions):
        of_source = [question for question in questions if question.sample.source == source]
        bins = _bins(of_source, _power_of_two)
        if len(bins) > 1:
            title = f"{source}: score and hit by length of the history"
            named = {
                f"{_write_tokens(2**n)}\N{EN DASH}{_write_tokens(2 ** (n + 1))}": inside
                for n, inside in bins.items()
            }
            yield _chart_bins(named, title, "tokens of the history, about", "Tokens")


def _power_of_two(question: ScoredQuestion) -> int | None:
    """Return the power of two that the history of a question has in tokens, rounded down.

    None if the length is unknown.
    """
    tokens = question.background.history_tokens
    return int(log2(tokens)) if tokens else None


def _write_tokens(tokens: int) -> str:
    """Return a power of two in short: 512, 8k or 1M."""
    if tokens < 1024:
        return str(tokens)
    if tokens < 1024**2:
        return f"{tokens / 1024:.0f}k"
    return f"{tokens / 1024**2:.0f}M"


def _bins(
    questions: Iterable[ScoredQuestion], bin_of: Callable[[ScoredQuestion], int | None]
) -> dict[int, list[ScoredQuestion]]:
    """Return the questions by their bins, from the lowest bin with any to the highest.

    Empty bins in between are included; questions without a bin are left out.
    """
    bins: dict[int, list[ScoredQuestion]] = {}
    for question in questions:
        number = bin_of(question)
        if number is not None:
            bins.setdefault(number, []).append(question)
    numbers = range(min(bins, default=0), max(bins, default=-1) + 1)
    return {number: bins.get(number, []) for number in numbers}


def _chart_bins(
    bins: Mapping[str, Sequence[ScoredQuestion]], title: str, along: str, header: str
) -> doc.Chart:
    """Return a chart of scores and hits by bin; ``header`` titles the bins in its table."""
    scores = {
        name: _percentage(inside, lambda question: question.official)
        for name, inside in bins.items()
    }
    hits = {name: _percentage(inside, _hit_value) for name, inside in bins.items()}
    columns: list[Column[str]] = [
        Column(header, str),
        *_percentage_columns(scores, "Score", "n"),
        *_percentage_columns(hits, "Hit", "n sought"),
    ]
    table = tabulate(columns, bins)
    dots = _dots_of(table, {"Score": "score", "Hit": "hit"})
    drawing = draw_curves(dots, [*bins], along, _PERCENT)
    return doc.Chart(title, drawing, table, doc.interval_notes(dots))


class _Percentage(NamedTuple):
    """A mean of questions of a bin, in percent."""

    n: int  # How many of them have a value.
    measure: Measure | None  # None if none of them has one.

    def write_limits(self) -> str | None:
        """Return the interval for these histories; None if there is none."""
        if self.measure is None or self.measure.these is None:
            return None
        low, high = self.measure.these
        return f"{low:.1f} to {high:.1f}"


def _percentage(
    questions: Sequence[ScoredQuestion], value_of: Callable[[ScoredQuestion], float | None]
) -> _Percentage:
    """Return the mean of the values from 0 to 1 that some questions have."""
    values, histories = [], []
    for question in questions:
        value = value_of(question)
        if value is not None:
            values.append(value)
            histories.append(_history_of(question))
    if not values:
        return _Percentage(0, None)
    # Questions of one history are not independent.
    grouped = Grouped.of(values, histories)
    interval = grouped.these_histories()
    measure = Measure(100 * grouped.mean, interval.percent if interval else None)
    return _Percentage(len(values), measure)


def _percentage_columns(
    percentages: Mapping[str, _Percentage], title: str, n_title: str
) -> Iterator[Column[str]]:
    """Yield columns of percentages by bin, of their intervals and their numbers of questions."""
    yield Column(title, lambda name: percentages[name].measure, spec=".1f")
    yield Column("95 % interval", lambda name: percentages[name].write_limits(), spec="")
    yield Column(n_title, lambda name: percentages[name].n, spec=",")


def _history_of(question: ScoredQuestion) -> tuple[str, int]:
    """Return the split and the row of a question."""
    split, row, _ = question.key
    return split, row


def _hit_value(question: ScoredQuestion) -> float | None:
    """Return 1 for a question with a hit and 0 for one without; None if that is not known."""
    hit = question.sample.hit
    return None if hit is None else float(bool(hit))


def _dots_of(table: Table, series: Mapping[str, str]) -> list[Dot]:
    """Return the values in a table as dots, row by row.

    ``series`` maps the titles of the columns that are drawn to the names of their series.
    """
    titles = [column.title for column in table.columns]
    dots = []
    for row in table.values:
        label = table.columns[0].text(row[0])
        for title, name in series.items():
            value = row[titles.index(title)]
            if isinstance(value, Measure):
                dots.append(Dot(label, name, value.value, value.these, value.new, f"{value}"))
            elif isinstance(value, int | float):
                dots.append(Dot(label, name, value))
    return dots


def _dots_of_scores(table: Table) -> list[Dot]:
    """Return both scores of each row as dots; one dot where they and their intervals are equal."""
    by_label = dict[str, list[Dot]]()
    for dot in _dots_of(table, _BOTH_SCORES):
        by_label.setdefault(dot.label, []).append(dot)
    merged = []
    for dots in by_label.values():
        renamed = [dot._replace(series=_SAME) for dot in dots]
        if len(dots) == 2 and renamed[0] == renamed[1]:
            merged.append(renamed[0])
        else:
            merged += dots
    return merged


def _times_section(summary: RunSummary, questions: Sequence[ScoredQuestion]) -> doc.Section:
    """Return the section about the times of answers, tokens and cost."""
    rows = []
    for name, source in summary.sources.items():
        of_source = [question for question in questions if question.sample.source == name]
        rows.append(_ExpenseRow(name, source, _answer_times(of_source)))
    table, section = tabulate(_EXPENSES, rows), doc.Section("time", "Time, tokens and cost")
    dots = [*_time_dots(rows, titles_of([summary]))]
    if not dots:
        return section._replace(tables=[table])
    drawing = draw_rows(dots, Scale.logarithmic("milliseconds, on a logarithmic scale", dots))
    title = "Time to an answer: the median, with a line to the 95th percentile"
    return section._replace(charts=[doc.Chart(title, drawing, table)])


class _AnswerTimes(NamedTuple):
    """How long answers took, in seconds."""

    median: float
    p95: float
    longest: float


class _ExpenseRow(NamedTuple):
    """A source in the table of times, tokens and costs."""

    name: str
    scores: SourceScores
    times: _AnswerTimes | None  # None unless the time of every question is known.


def _write_time(seconds: float | None) -> str | None:
    """Return seconds with three decimals below 1, else with one; None if unknown."""
    if seconds is None:
        return None
    return f"{seconds:,.3f}" if seconds < 1 else f"{seconds:,.1f}"


_EXPENSES: tuple[Column[_ExpenseRow], ...] = (
    Column("Source", lambda row: row.name),
    Column(
        "Answer s, p50", lambda row: _write_time(row.times.median if row.times else None), spec=""
    ),
    Column("p95", lambda row: _write_time(row.times.p95 if row.times else None), spec=""),
    Column("Longest", lambda row: _write_time(row.times.longest if row.times else None), spec=""),
    Column("Tokens in", lambda row: row.scores.input_tokens, spec=","),
    Column("Tokens out", lambda row: row.scores.output_tokens, spec=","),
    Column("US dollars", lambda row: row.scores.cost, spec=",.4f"),
)


def _time_dots(rows: Sequence[_ExpenseRow], titles: Mapping[str, str]) -> Iterator[Dot]:
    """Yield the median time of each source in milliseconds, with a line to the 95th percentile.

    ``titles`` are those of sources of made-up rows, by name.
    """
    for row in rows:
        if row.times and row.times.median > 0:
            median, p95 = 1000 * row.times.median, 1000 * row.times.p95
            text = f"{write_seconds(row.times.median)}\N{EN DASH}{write_seconds(row.times.p95)}"
            label = titles.get(row.name, row.name)
            yield Dot(label, "median", median, new=(median, p95), text=text)


def _tiles(summary: RunSummary, questions: Sequence[ScoredQuestion]) -> Iterator[doc.Tile]:
    """Yield the figures at the top of the page."""
    spent = summary.spent
    overall = summary.means["Overall"].measures["official"]
    if overall:
        yield doc.Tile("Overall", f"{overall}", "official")
    else:
        yield from _mean_score_tile(summary, questions)
    expected = sum(source.expected for source in summary.sources.values())
    whole = f"{expected:,}" if expected > spent.n else write_count(len(summary.sources), "source")
    yield doc.Tile("Questions", f"{spent.n:,}", f"of {whole}")
    yield doc.Tile("Errors", f"{spent.errors:,}")
    known = [question.sample for question in questions if question.sample.hit is not None]
    if known:
        kinds_of_hits = {sample.hit_by for sample in known}
        name = "Evidence retrieved" if kinds_of_hits == {"evidence"} else "Gold mentioned"
        share = sum(bool(sample.hit) for sample in known) / len(known)
        yield doc.Tile(name, f"{100 * share:.1f} %", "where known")
    times = _answer_times(questions)
    if times:
        p95 = write_seconds(times.p95)
        yield doc.Tile("Median answer", write_seconds(times.median), f"p95 {p95}")
    if spent.input_tokens is not None:
        cost = "" if spent.cost is None else f", ${spent.cost:,.2f}"
        note = f"{spent.output_tokens or 0:,} out{cost}"
        yield doc.Tile("Tokens in", f"{spent.input_tokens:,}", note)


def _mean_score_tile(
    summary: RunSummary, questions: Sequence[ScoredQuestion]
) -> Iterator[doc.Tile]:
    """Yield the mean official score of the sources that have one, with its interval."""
    sources = {
        name: source for name, source in summary.sources.items() if source.official is not None
    }
    if not sources:
        return
    note = "official"
    if len(sources) > 1:
        note += f", mean of {len(sources)} sources"
    corrected = [source.corrected for source in sources.values() if source.corrected is not None]
    if len(corrected) == len(sources):
        note += f"; corrected {fmean(corrected):.1f}"
    scores = list[tuple[float, Grouped | None]]()
    for name in sources:
        of_source = [question for question in questions if question.sample.source == name]
        official = [question.official or 0.0 for question in of_source]
        grouped = Grouped.of(official, [_history_of(question) for question in of_source])
        scores.append((1 / len(sources), grouped))
    measure = Measure.of(summary.headline, Intervals.of(scores))
    yield doc.Tile("Score", f"{measure}", note)


def _answer_times(questions: Sequence[ScoredQuestion]) -> _AnswerTimes | None:
    """Return how long answers took; None unless the time of every question is known."""
    seconds = [float(question.seconds) for question in questions if question.seconds is not None]
    if not seconds or len(seconds) < len(questions):
        return None
    median, p95 = np.quantile(seconds, [0.5, 0.95])
    return _AnswerTimes(float(median), float(p95), longest=max(seconds))
