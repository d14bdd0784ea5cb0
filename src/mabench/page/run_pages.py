"""The page of a run: scores, diagnosis, retrieval, places, lengths, time, errors, questions.

Places, lengths and times are in no summary: they are added up here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from math import log2
from statistics import fmean

import numpy as np

from mabench.errors import UsageError
from mabench.page import document as doc
from mabench.page.charts import Dot, Scale, draw_curves, draw_parts, draw_rows
from mabench.page.pages import settings_of
from mabench.printable import write_count
from mabench.reports.costs.calls import call_remarks, calls_table
from mabench.reports.costs.durations import write_seconds
from mabench.reports.diagnosis import diagnose
from mabench.reports.failures import failure_remarks
from mabench.reports.run_tables import run_tables
from mabench.reports.score_remarks import score_remarks
from mabench.reports.sentences import say
from mabench.reports.tables import Column, Table, plain_table, tabulate, titles_of
from mabench.results import PARTS, Measure, Run, RunSummary, ScoredQuestion
from mabench.uncertainty import Grouped
from mabench.uncertainty.score_intervals import Intervals

_PERCENT = Scale("percent of questions")
_BOTH = {"Official": "official", "Corrected": "corrected"}
_TIMES = ("Answer s, p50", "p95", "Longest")


def run_page(run: Run, title: str | None = None) -> str:
    """Return the page of a run, named after the agent unless it has a title of its own.

    Raises ``DataError``, ``UsageError`` or ``MissingPackageError``.
    """
    doc.require_packages()
    questions = doc.questions_of(run)
    if not questions:
        raise UsageError(f"{run.folder}: no question has been asked yet; a page needs at least one")
    summary, titles = run.summary, titles_of([run.summary])
    return doc.render(
        *doc.name_page(title, summary.agent, f"{summary.data}, protocol {summary.protocol}"),
        tiles=_tiles(summary, questions),
        sections=run_sections(summary, questions),
        settings=settings_of([run], [summary.agent]),
        titles=titles,
        explorer=doc.explorer_of([summary.agent], [run.folder.name], [questions], titles),
    )


def run_sections(summary: RunSummary, questions: Sequence[ScoredQuestion]) -> Iterator[doc.Section]:
    """Yield the sections about a run, but for those that have nothing to say."""
    tables = run_tables(summary)
    yield _scores(summary, tables)
    hits = {source.retrieval.by for source in summary.sources.values() if source.retrieval}
    hit_by = "mention" if hits - {None} == {"mention"} else None
    for table in tables["parts"]:
        heads = {column.title for column in table.columns}
        meanings = [
            f"{part.head}: {part.describe(hit_by).replace(':', ',')}."
            for name, part in PARTS.items()
            if part.head in heads and name != "right"
        ]
        chart = doc.Chart("Of 100 questions of each source", draw_parts(table), table, meanings)
        yield doc.Section("parts", "What happened to the questions", charts=[chart])
    findings = [*failure_remarks(summary), *(summary.damaged or ()), *diagnose(summary)]
    notes = [*score_remarks(summary)]
    yield doc.Section("diagnosis", "Findings", findings=findings, notes=notes)
    yield from _retrieval(tables["retrieval"], tables["evidence"])
    yield _places(questions)
    if charts := [*_lengths(questions)]:
        yield doc.Section("length", "Length of the history", charts=charts)
    if tables["memory"]:
        yield doc.Section("memory", "Memory", tables=tables["memory"])
    yield _times(summary, questions)
    if summary.calls:
        calls = [table for table in [calls_table(summary.calls)] if table.values]
        remarks = [*call_remarks(summary.calls)]
        yield doc.Section("calls", "Calls of models", tables=calls, notes=remarks)
    messages: dict[str, list[str]] = {}
    for question in questions:
        if question.sample.prediction is None:
            kind, _, message = (question.sample.error or "no answer").partition(":")
            messages.setdefault(kind, []).append(message.strip())
    if kinds := [(kind, len(each), each[0][:200]) for kind, each in messages.items()]:
        kinds.sort(key=lambda kind: -kind[1])
        titles = ("Kind", "Questions", "The first says")
        yield doc.Section("errors", "Errors", tables=[plain_table(titles, kinds)])


def _scores(summary: RunSummary, tables: Mapping[str, Sequence[Table]]) -> doc.Section:
    (table,), categories, types = tables["sources"], tables["categories"], tables["types"]
    dots = _dots_of(table, _BOTH)
    for means in categories:
        dots += [dot for dot in _dots_of(means, _BOTH) if dot.label == "Overall"]
    if not dots:
        every = [table, *categories, *types]
        return doc.Section("scores", "Scores", ["No source has a score yet."], tables=every)
    title = "Official and corrected scores by source"
    drawing = draw_rows(dots, Scale("score, 0 to 100"))
    chart = doc.Chart(title, drawing, table, doc.interval_notes(dots))
    complete = any(category.complete for category in summary.categories.values())
    others = [*(categories if complete else []), *types]
    return doc.Section("scores", "Scores", charts=[chart], tables=others)


def _retrieval(retrieval: Sequence[Table], evidence: Sequence[Table]) -> Iterator[doc.Section]:
    if not retrieval:
        return
    charts, tables = [], [*evidence]
    for number, table in enumerate(retrieval):
        names = [column.title for column in table.columns[2:]]
        if dots := _dots_of(table, {name: name.lower() for name in names}):
            lanes = {name.lower(): int(name.startswith("Right")) for name in names}
            title = "Evidence retrieved" if "Hit at 1" in names else "Golds mentioned"
            drawing = draw_rows(dots, _PERCENT, lanes)
            charts.append(doc.Chart(f"{title}, and answered then", drawing, table))
        else:
            tables.insert(number, table)
    yield doc.Section("retrieval", "Retrieval", [say("hit_at")], charts=charts, tables=tables)


def _places(questions: Sequence[ScoredQuestion]) -> doc.Section:
    """Tell of the questions by the fifth of the history in which their last gold stands."""
    title = "Where the gold occurs"
    bins = _bins(
        questions, lambda one: None if one.gold_depth is None else min(4, int(one.gold_depth / 20))
    )
    if not bins:
        return doc.Section("place", title, ["No gold of this run can be located in its histories."])
    along = "place of the gold in the history"
    named = {f"{20 * n}\N{EN DASH}{20 * n + 20} %": inside for n, inside in bins.items()}
    chart = _chart_bins(named, "Score and hit by place of the gold", along, "Place")
    return doc.Section("place", title, [say("by_depth")], charts=[chart])


def _lengths(questions: Sequence[ScoredQuestion]) -> Iterator[doc.Chart]:
    """Yield a chart by doublings for each source whose histories are not all about as long."""

    def amount(tokens: int) -> str:
        if tokens < 1000:
            return str(tokens)
        return f"{tokens / 1024:.0f}k" if tokens < 1024**2 else f"{tokens / 1024**2:.0f}M"

    for source in dict.fromkeys(question.sample.source for question in questions):
        own = [one for one in questions if one.sample.source == source]
        bins = _bins(
            own,
            lambda one: (
                int(log2(one.background.history_tokens)) if one.background.history_tokens else None
            ),
        )
        if len(bins) > 1:
            title = f"{source}: score and hit by length of the history"
            ends = {n: (amount(2**n), amount(2 ** (n + 1))) for n in bins}
            named = {"\N{EN DASH}".join(ends[n]): of for n, of in bins.items()}
            yield _chart_bins(named, title, "tokens of the history, about", "Tokens")


def _bins(
    questions: Iterable[ScoredQuestion], bin_of: Callable[[ScoredQuestion], int | None]
) -> dict[int, list[ScoredQuestion]]:
    """Return the questions from the first bin to the last with any; between them some are empty."""
    bins: dict[int, list[ScoredQuestion]] = {}
    for question in questions:
        if (number := bin_of(question)) is not None:
            bins.setdefault(number, []).append(question)
    whole = range(min(bins, default=0), max(bins, default=-1) + 1)
    return {number: bins.get(number, []) for number in whole}


def _chart_bins(
    bins: Mapping[str, Sequence[ScoredQuestion]], title: str, along: str, header: str
) -> doc.Chart:
    """Chart the score and the hits of questions that are alike in one thing, by its name."""

    def columns(
        title: str, n: str, value_of: Callable[[ScoredQuestion], float | None]
    ) -> Iterator[Column[str]]:
        values = {
            name: [(one.key[:2], value) for one in of if (value := value_of(one)) is not None]
            for name, of in bins.items()
        }

        def share(name: str) -> Measure | None:
            if not values[name]:
                return None
            rows, numbers = zip(*values[name], strict=True)
            scores = Grouped.of(numbers, rows)
            interval = scores.these_histories()
            return Measure(100 * scores.mean, interval and interval.percent)

        def limits(name: str) -> str | None:
            these = (shown := share(name)) and shown.these
            return f"{these[0]:.1f} to {these[1]:.1f}" if these else None

        yield Column(title, share, ".1f")
        yield Column("95 % interval", limits, "")
        yield Column(n, lambda name: len(values[name]), ",")

    named: list[Column[str]] = [
        Column(header, str),
        *columns("Score", "n", lambda question: question.official),
        *columns("Hit", "n sought", lambda one: one.sample.hit and 1.0),
    ]
    table = tabulate(named, bins)
    dots = _dots_of(table, {"Score": "score", "Hit": "hit"})
    drawing = draw_curves(dots, [*bins], along, _PERCENT)
    return doc.Chart(title, drawing, table, doc.interval_notes(dots))


def _dots_of(table: Table, series: Mapping[str, str]) -> list[Dot]:
    """Return figures as dots, row by row; ``series`` are by the titles of their columns."""
    titles = [column.title for column in table.columns]
    dots = []
    for row in table.values:
        label = table.columns[0].text(row[0])
        for title, name in series.items():
            value = row[titles.index(title)]
            if isinstance(value, Measure):
                dots.append(Dot(label, name, *value[:3], f"{value}"))
            elif isinstance(value, int | float):
                dots.append(Dot(label, name, value))
    return dots


def _times(summary: RunSummary, questions: Sequence[ScoredQuestion]) -> doc.Section:
    titles = titles_of([summary])
    times = {
        name: _answer_times([one for one in questions if one.sample.source == name])
        for name in summary.sources
    }
    dots = []
    for name, of in times.items():
        if of and of[0] > 0:
            ends = (1000 * of[0], 1000 * of[1])
            text = "\N{EN DASH}".join(map(write_seconds, of[:2]))
            dots.append(Dot(titles.get(name, name), "median", ends[0], new=ends, text=text))

    def seconds(name: str, place: int) -> str | None:
        took = (of := times[name]) and of[place]
        return None if took is None else f"{took:,.3f}" if took < 1 else f"{took:,.1f}"

    columns: tuple[Column[str], ...] = (
        Column("Source", str),
        *(Column(title, partial(seconds, place=n), "") for n, title in enumerate(_TIMES)),
        Column("Tokens in", lambda name: summary.sources[name].input_tokens, ","),
        Column("Tokens out", lambda name: summary.sources[name].output_tokens, ","),
        Column("US dollars", lambda name: summary.sources[name].cost, ",.4f"),
    )
    table = tabulate(columns, summary.sources)
    section = doc.Section("time", "Time, tokens and cost")
    if not dots:
        return section._replace(tables=[table])
    drawing = draw_rows(dots, Scale.logarithmic("milliseconds, on a logarithmic scale", dots))
    title = "Time to an answer: the median, with a line to the 95th percentile"
    return section._replace(charts=[doc.Chart(title, drawing, table)])


def _tiles(summary: RunSummary, questions: Sequence[ScoredQuestion]) -> Iterator[doc.Tile]:
    spent = summary.spent
    sources = {name: one for name, one in summary.sources.items() if one.official is not None}
    if overall := summary.means["Overall"].measures["official"]:
        yield doc.Tile("Overall", f"{overall}", "official")
    elif sources:
        corrected = [one.corrected for one in sources.values() if one.corrected is not None]
        note = "official" + f", mean of {len(sources)} sources" * (len(sources) > 1)
        if len(corrected) == len(sources):
            note += f"; corrected {fmean(corrected):.1f}"
        scores = list[tuple[float, Grouped | None]]()
        for name in sources:
            own = [one for one in questions if one.sample.source == name]
            official = [one.official or 0.0 for one in own]
            scores.append((1 / len(sources), Grouped.of(official, [one.key[:2] for one in own])))
        intervals = Intervals.of(scores)
        yield doc.Tile("Score", f"{Measure.of(summary.headline, intervals)}", note)
    expected = sum(source.expected for source in summary.sources.values())
    whole = f"{expected:,}" if expected > spent.n else write_count(len(summary.sources), "source")
    yield doc.Tile("Questions", f"{spent.n:,}", f"of {whole}")
    yield doc.Tile("Errors", f"{spent.errors:,}")
    if known := [one.sample for one in questions if one.sample.hit is not None]:
        by = {one.hit_by for one in known}
        name = "Evidence retrieved" if by == {"evidence"} else "Gold mentioned"
        share = sum(bool(one.hit) for one in known) / len(known)
        yield doc.Tile(name, f"{100 * share:.1f} %", "where known")
    if times := _answer_times(questions):
        yield doc.Tile("Median answer", write_seconds(times[0]), f"p95 {write_seconds(times[1])}")
    if spent.input_tokens is not None:
        cost = "" if spent.cost is None else f", ${spent.cost:,.2f}"
        note = f"{spent.output_tokens or 0:,} out{cost}"
        yield doc.Tile("Tokens in", f"{spent.input_tokens:,}", note)


def _answer_times(questions: Sequence[ScoredQuestion]) -> tuple[float, float, float] | None:
    """Return the median, 95th percentile and most of the seconds that answers took.

    None unless they are known of every question.
    """
    seconds = [float(one.seconds) for one in questions if one.seconds is not None]
    if not seconds or len(seconds) < len(questions):
        return None
    median, p95 = np.quantile(seconds, [0.5, 0.95])
    return float(median), float(p95), max(seconds)
