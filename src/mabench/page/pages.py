"""Pages of one run, of several, and of a sweep, as HTML."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from statistics import fmean
from string import ascii_uppercase

from mabench.comparison import Comparison, Pair, compare
from mabench.errors import UsageError
from mabench.page.charts import Dot, Scale, draw_curves, draw_rows
from mabench.page.document import (
    Chart,
    PageRun,
    Section,
    Tile,
    explorer_of,
    interval_notes,
    render,
    require_packages,
)
from mabench.page.questions import PageQuestion, questions_of
from mabench.page.sections import INTERVAL_NOTE, answer_times, run_sections
from mabench.races import Race
from mabench.reports.comparison import (
    best_remarks,
    compared_memories,
    comparison_remarks,
    findings,
    forest_scores,
    pair_tables,
    sort_runs,
    standings_notes,
    standings_table,
)
from mabench.reports.costs import cost_tables, duration
from mabench.reports.experiments import race_report, sweep_table, sweep_title
from mabench.reports.layout import titles_of
from mabench.reports.run_tables import official
from mabench.reports.tables import NONE, Measure, Value, plain_columns, tabulate
from mabench.results import Run, RunSummary, mean_intervals
from mabench.runs import SweepPoint
from mabench.uncertainty import Grouped


def run_page(run: Run) -> str:
    """Return the page of a run; raises ``DataError`` or ``MissingPackageError``."""
    require_packages()
    questions = questions_of(run)
    if not questions:
        raise UsageError(f"{run.folder}: nothing was asked yet; a page takes a question at least")
    summary, titles = run.summary, titles_of([run.summary])
    return render(
        title=summary.agent,
        subtitle=f"{summary.data}, protocol {summary.protocol}",
        tiles=_tiles(summary, questions),
        sections=run_sections(summary, questions),
        settings=_settings([run], [summary.agent]),
        titles=titles,
        explorer=explorer_of([PageRun(summary.agent, run.folder.name, questions)], titles),
    )


def comparison_page(runs: Sequence[Run]) -> str:
    """Return the page of several runs; raises as ``run_page``, and ``UsageError``."""
    require_packages()
    if len(runs) > len(ascii_uppercase):
        raise UsageError(f"a page takes {len(ascii_uppercase)} runs at most, not {len(runs)}")
    order = [run.run for run in sort_runs(compare(runs))]
    runs = sorted(runs, key=lambda run: order.index(str(run.folder)))
    comparison = compare(runs)  # Again, so that all stand in the order of the table.
    named = zip(ascii_uppercase, comparison.runs, strict=False)
    names = {run.run: f"{letter}: {run.agent}" for letter, run in named}
    letters = [*ascii_uppercase[: len(runs)]]
    agents = [run.agent for run in comparison.runs]
    record = runs[0].record
    memories = compared_memories(comparison, [*names.values()])
    costs, titles = cost_tables(comparison.runs, letters), titles_of(run.summary for run in runs)
    listed = [PageRun(names[str(r.folder)], r.folder.name, questions_of(r)) for r in runs]
    return render(
        title=" \N{MULTIPLICATION SIGN} ".join(agents) if len(runs) < 4 else f"{len(runs)} runs",
        subtitle=f"{record.data.name}, protocol {record.protocol}",
        tiles=[],
        sections=[
            _standings(comparison, letters),
            _forest(comparison, names),
            Section(
                "pairs",
                "Pairs",
                ["Won, lost, tied: questions on which the first is better, worse and as good."],
                pairs=[_pair(pair, names) for pair in comparison.pairs],
                notes=comparison_remarks(comparison),
            ),
            *([Section("cost", "Score and cost", tables=costs)] if costs else []),
            *([Section("memory", "Memory", tables=memories)] if memories else []),
        ],
        settings=_settings(runs, letters),
        titles=titles,
        explorer=explorer_of(listed, titles),
    )


def sweep_page(points: Sequence[SweepPoint]) -> str:
    """Return the page of a sweep; raises ``DataError`` or ``MissingPackageError``."""
    require_packages()
    names = [f"{point.agent}, {point.knob} {point.value:,}" for point in points]
    scores = [official(point.source) for point in points]
    if charts := curve_charts(points):
        curve = Section("curve", "Curve", charts=charts)
    else:
        table = sweep_table(points)
        curve = Section("curve", "Curve", ["No value has a score yet."], tables=[table])
    return render(
        title=sweep_title(points),
        subtitle=f"Protocol {points[0].run.record.protocol}",
        tiles=[
            Tile(name, NONE if score is None else f"{score}", "official")
            for name, score in zip(names, scores, strict=True)
        ],
        sections=[curve],
        settings=_settings([point.run for point in points], names),
    )


def race_page(race: Race) -> str:
    """Return the page of a race; raises ``DataError`` or ``MissingPackageError``."""
    require_packages()
    if not race.histories:
        raise UsageError(f"{race.folder}: no history is complete yet; a page takes one")
    report, titles = race_report(race)
    dots = [
        Dot(f"{n}", f"{pair.a} - {pair.b}", look.difference, (look.low, look.high))
        for pair in race.pairs
        for n, look in enumerate(race.looks(pair), 1)
    ]
    labels = [f"{n}" for n in range(1, max(pair.histories for pair in race.pairs) + 1)]
    drawn = draw_curves(dots, labels, "histories of each source", Scale("points", -100, 100))
    rows = [(dot.series, dot.label, f"{dot.value:+.1f}", *(dot.these or ())) for dot in dots]
    columns = plain_columns(("Pair", "Histories", "Difference", "Low", "High"), texts=(0, 1, 2))
    columns[3:] = [replace(column, spec="+.1f") for column in columns[3:]]
    note = "Lines through dots: the 95 % intervals, which hold together."
    chart = Chart("Differences after each history", drawn, tabulate(columns, rows), [note])
    standing = Section(
        "race",
        "Race",
        findings=report.remarks,
        charts=[chart],
        tables=report.tables,
        notes=report.notes,
    )
    return render(
        title=report.title,
        subtitle=f"Protocol {race.runs[0].record.protocol}",
        tiles=[],
        sections=[standing],
        settings=_settings(race.runs, [*race.scores]),
        titles=titles,
    )


def _tiles(summary: RunSummary, questions: Sequence[PageQuestion]) -> Iterator[Tile]:
    spent = summary.spent
    sources = {name: one for name, one in summary.sources.items() if one.official is not None}
    if overall := Measure.of(summary.overall, summary.overall_interval):
        yield Tile("Overall", f"{overall}", "official")
    elif sources:
        mean = fmean(source.official or 0 for source in sources.values())
        corrected = [one.corrected for one in sources.values() if one.corrected is not None]
        note = f"official, in the mean of {len(sources)} sources"
        if len(corrected) == len(sources):
            note += f"; corrected {fmean(corrected):.1f}"
        asked = ([one for one in questions if one.view.sample.source == name] for name in sources)
        scores = [
            Grouped.of([one.view.official or 0.0 for one in of], [one.key[:2] for one in of])
            for of in asked
        ]
        intervals = mean_intervals([(1 / len(scores), of_source) for of_source in scores])
        yield Tile("Score", f"{Measure.of(mean, intervals)}", note)
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


def _standings(comparison: Comparison, letters: Sequence[str]) -> Section:
    table = standings_table(comparison)
    named = zip(letters, table.values, strict=True)
    lettered = [(f"{letter}: {agent}", *values) for letter, (agent, *values) in named]
    return Section(
        "agents",
        "Agents",
        findings=[*best_remarks(comparison)],
        tables=[table._replace(values=lettered)],
        notes=standings_notes(comparison, table),
    )


def _forest(comparison: Comparison, names: Mapping[str, str]) -> Section:
    dots, rows = list[Dot](), list[Sequence[Value]]()
    for source, run, measure in forest_scores(comparison):
        own = names[run.run]
        text = f"{own[0]} {measure._replace(letters='')}"
        dots.append(Dot(source, own, *measure[:3], text))
        rows.append((source, own, measure.value, measure.range()))
    drawing = draw_rows(dots, Scale(f"{comparison.score} score, 0 to 100"))
    columns = plain_columns(("Source", "Agent", "Score", "95 % interval"), texts=(0, 1))
    columns[2] = replace(columns[2], spec=".1f")
    table, title = tabulate(columns, rows), "Scores by source, the best agent first"
    return Section("scores", "Scores", charts=[Chart(title, drawing, table, interval_notes(dots))])


def _pair(pair: Pair, names: Mapping[str, str]) -> Section:
    a, b = names[pair.a][0], names[pair.b][0]
    return Section(
        f"{a}-{b}",
        f"{names[pair.a]} and {names[pair.b]}",
        findings=[*findings(pair, a, b)],
        tables=pair_tables(pair, a, b),
    )


def curve_charts(points: Sequence[SweepPoint]) -> list[Chart]:
    """Return the scores of a sweep, and its hits, where there are any."""
    table, scores, hits = sweep_table(points), list[Dot](), list[Dot]()
    for point in points:
        source, label = point.source, f"{point.value:,}"
        if score := official(source):
            scores.append(Dot(label, point.agent, *score[:3]))
        if source.retrieval and source.retrieval.hit is not None:
            hits.append(Dot(label, point.agent, source.retrieval.hit))
    knob, note = points[0].knob, INTERVAL_NOTE
    labels = list(dict.fromkeys(f"{point.value:,}" for point in points))
    charts = []
    if scores:
        drawn = draw_curves(scores, labels, knob, Scale("official score, 0 to 100"))
        charts.append(Chart(f"Scores by {knob}", drawn, table, [note]))
    if scores and hits:
        drawn = draw_curves(hits, labels, knob, Scale("percent of questions"))
        charts.append(Chart(f"Questions with a hit, by {knob}", drawn, table))
    return charts


def _settings(runs: Sequence[Run], names: Sequence[str]) -> Section:
    settings = [_describe(run) for run in runs]
    keys = dict.fromkeys(key for one in settings for key, value in one.items() if value)
    rows = [(key, *(one.get(key) or None for one in settings)) for key in keys]
    titles = ("Setting", *(names if len(runs) > 1 else ["Value"]))
    table = tabulate(plain_columns(titles, texts=range(len(titles))), rows)
    return Section("settings", "Settings and versions", tables=[table])


def _describe(run: Run) -> Mapping[str, str | None]:
    record, model = run.record, run.record.model
    return {
        "run": run.folder.name,
        "agent": record.agent,
        "data": record.data.name,
        "data from": record.data.location,
        "revision": record.data.revision,
        "fingerprint": record.data.fingerprint,
        "questions": f"{sum(record.questions.values()):,}",
        "protocol": record.protocol,
        "conversations": str(record.takes) if record.takes else None,
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
