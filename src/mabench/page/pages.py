"""Pages of one run, of several, and of a sweep, as HTML."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from operator import itemgetter
from string import ascii_uppercase

from mabench.comparison import Pair, compare
from mabench.errors import UsageError
from mabench.page.charts import Scale, dots_of, draw_curves, draw_rows
from mabench.page.document import Chart, Section, Tile, interval_notes, render, require_packages
from mabench.page.questions import PageQuestion, questions_of
from mabench.page.sections import answer_times, duration, run_sections
from mabench.reports.calls import cost_tables
from mabench.reports.comparison import comparison_remarks, findings, pair_tables
from mabench.reports.listings import sweep_table
from mabench.reports.tables import NONE, Column, Measure, Value, plain_columns, tabulate
from mabench.results import Run, RunRecord, RunSummary
from mabench.runs import SweepPoint


def run_page(run: Run) -> str:
    """Return the page of a run; raises ``DataError`` or ``MissingPackageError``."""
    require_packages()
    questions = questions_of(run)
    if not questions:
        raise UsageError(f"{run.folder}: nothing was asked yet; a page takes a question at least")
    summary = run.summary
    return render(
        title=summary.agent,
        subtitle=f"{summary.data}, protocol {summary.protocol}",
        tiles=_tiles(summary, questions),
        names=[summary.agent],
        sections=run_sections(summary, questions),
        settings=_settings([run], [summary.agent]),
        runs=[questions],
    )


def comparison_page(runs: Sequence[Run]) -> str:
    """Return the page of several runs; raises as ``run_page``, and ``UsageError``."""
    require_packages()
    if len(runs) > len(ascii_uppercase):
        raise UsageError(f"a page takes {len(ascii_uppercase)} runs at most, not {len(runs)}")
    comparison = compare(runs)
    letters = list(ascii_uppercase[: len(runs)])
    by_run = {run.run: letter for run, letter in zip(comparison.runs, letters, strict=True)}
    record = runs[0].record
    costs = cost_tables(comparison.runs, letters)
    return render(
        title=" \N{MULTIPLICATION SIGN} ".join(run.agent for run in comparison.runs),
        subtitle=f"{record.data.name}, protocol {record.protocol}; the mean of what is compared",
        tiles=[
            Tile(f"{letter}: {run.agent}", f"{run.mean:.1f}", run.run)
            for letter, run in zip(letters, comparison.runs, strict=True)
        ],
        names=letters,
        sections=[
            *(_pair(pair, by_run[pair.a], by_run[pair.b]) for pair in comparison.pairs),
            _side_by_side(runs, letters, comparison_remarks(comparison)),
            *([Section("cost", "Score and cost", tables=costs)] if costs else []),
        ],
        settings=_settings(runs, letters),
        runs=[questions_of(run) for run in runs],
    )


def sweep_page(knob: str, points: Sequence[SweepPoint]) -> str:
    """Return the page of a sweep, whose setting ``knob`` has the values of ``points``."""
    require_packages()
    runs = [point.run for point in points]
    summary = runs[0].summary
    (source,) = summary.sources
    names = [f"{knob} {point.value:,}" for point in points]
    scores = [Measure.of(point.source.official, point.source.interval) for point in points]
    return render(
        title=f"{summary.agent}: {source} by {knob}",
        subtitle=f"Made-up rows, protocol {summary.protocol}",
        tiles=[
            Tile(name, NONE if score is None else f"{score}", "official")
            for name, score in zip(names, scores, strict=True)
        ],
        names=names,
        sections=[_curve(knob, points)],
        settings=_settings(runs, names),
    )


def _tiles(summary: RunSummary, questions: Sequence[PageQuestion]) -> Iterator[Tile]:
    spent = summary.spent
    sources = [source for source in summary.sources.values() if source.official is not None]
    if overall := Measure.of(summary.overall, summary.overall_interval):
        yield Tile("Overall", f"{overall}", "official")
    elif sources:
        mean = sum(source.official or 0 for source in sources) / len(sources)
        corrected = [source.corrected for source in sources if source.corrected is not None]
        note = f"official, in the mean of {len(sources)} sources"
        if len(corrected) == len(sources):
            note += f"; corrected {sum(corrected) / len(corrected):.1f}"
        yield Tile("Score", f"{mean:.1f}", note)
    expected = sum(source.expected for source in summary.sources.values())
    note = f"of {expected:,}" if expected > spent.n else f"of {len(summary.sources)} sources"
    yield Tile("Questions", f"{spent.n:,}", note)
    yield Tile("Errors", f"{spent.errors:,}")
    hits = [question.hit > 0 for question in questions if question.hit is not None]
    if hits:
        by = {one.view.sample.hit_by for one in questions if one.hit is not None}
        name = "Evidence retrieved" if by == {"evidence"} else "Gold mentioned"
        yield Tile(name, f"{100 * sum(hits) / len(hits):.1f} %", "where that can be told")
    if times := answer_times(questions):
        yield Tile("Median answer", duration(times[0]), f"p95 {duration(times[1])}")
    if spent.input_tokens is not None:
        cost = "" if spent.cost is None else f", ${spent.cost:,.2f}"
        note = f"{spent.output_tokens or 0:,} out{cost}"
        yield Tile("Tokens in", f"{spent.input_tokens:,}", note)


def _pair(pair: Pair, a: str, b: str) -> Section:
    table, *types = pair_tables(pair, a, b)

    dots = dots_of(
        table,
        {f"{a} - {b}": "difference"},
        lambda difference: f"{difference:+.1f}".replace("-", "\N{MINUS SIGN}"),
    )
    chart = Chart(
        f"Differences {a} \N{MINUS SIGN} {b}, right of 0 where {a} is better",
        draw_rows(dots, Scale("difference, in points", None, None, rule=0.0)),
        table,
        [
            *interval_notes(dots),
            f"Won, lost, tied: the questions on which {a} is better, worse and as good.",
        ],
    )
    place, title = f"pair-{a}-{b}", f"{a} and {b}"
    return Section(place, title, charts=[chart], tables=types, findings=[*findings(pair, a, b)])


def _side_by_side(runs: Sequence[Run], letters: Sequence[str], notes: Sequence[str]) -> Section:
    rows: list[Sequence[Value]] = []
    for name in dict.fromkeys(name for run in runs for name in run.summary.sources):
        sources = [run.summary.sources.get(name) for run in runs]
        scores = [Measure.of(one.official, one.interval) if one else None for one in sources]
        rows.append((name, *scores))

    def interval(place: int, row: Sequence[Value]) -> Value:
        score = row[place]
        return score.range() if isinstance(score, Measure) else None

    columns = plain_columns(["Source"])
    for place, letter in enumerate(letters, start=1):
        columns.append(Column(letter, itemgetter(place), ".1f"))
        columns.append(Column("95 % interval", partial(interval, place), ""))
    table = tabulate(columns, rows)
    title, dots = "Scores side by side", dots_of(table, {letter: letter for letter in letters})
    if not dots:
        return Section("scores", title, tables=[table], notes=notes)
    drawing = draw_rows(dots, Scale("official score, 0 to 100"))
    chart = Chart("Official scores by source", drawing, table, interval_notes(dots))
    return Section("scores", title, charts=[chart], notes=notes)


def _curve(knob: str, points: Sequence[SweepPoint]) -> Section:
    table = sweep_table(knob, points)
    series = {title: title.lower() for title in ("Official", "Corrected", "Gold retrieved")}
    dots = dots_of(table, series)
    if not dots:
        return Section("curve", "Curve", ["No value has a score yet."], tables=[table])
    chart = Chart(
        f"Scores by {knob}",
        draw_curves(dots, knob, Scale("score, or percent of questions")),
        table,
        ["Bars: the 95 % interval for other questions about these histories."],
    )
    return Section("curve", "Curve", charts=[chart])


def _settings(runs: Sequence[Run], names: Sequence[str]) -> Section:
    settings = [_describe(run.record) for run in runs]
    keys = dict.fromkeys(key for one in settings for key, value in one.items() if value)
    rows = [(key, *(one.get(key) or None for one in settings)) for key in keys]
    titles = ("Setting", *(names if len(runs) > 1 else ["Value"]))
    table = tabulate(plain_columns(titles, texts=range(len(titles))), rows)
    return Section("settings", "Settings and versions", tables=[table])


def _describe(record: RunRecord) -> Mapping[str, str | None]:
    model = record.model
    return {
        "agent": record.agent,
        "data": record.data.name,
        "data from": record.data.location,
        "revision": record.data.revision,
        "fingerprint": record.data.fingerprint,
        "questions": f"{sum(record.questions.values()):,}",
        "protocol": record.protocol,
        "chunk tokens": str(record.chunk_tokens or "the protocol's"),
        "prompts": record.prompts,
        "model": f"{model.name}, temperature {model.temperature:g}" if model else None,
        "rows": ", ".join(map(str, record.rows)) if record.rows is not None else "all",
        "questions of each row": str(record.limit_questions or "all"),
        "date": record.date,
        "command": record.command,
        "mabench": record.mabench + (f", {record.commit[:12]}" if record.commit else ""),
        "python": f"{record.python} on {record.platform}",
        **record.packages,
    }
