"""Pages of several runs, a sweep, a race or stress tests, and their charts as files."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from string import ascii_uppercase

from mabench.comparison import ComparedRun, Comparison, compare
from mabench.errors import UsageError
from mabench.outfile import check_writable
from mabench.page import document as doc
from mabench.page.charts import Dot, Scale, draw_curves, draw_points, draw_rows
from mabench.printable import write_count
from mabench.races import Race
from mabench.reports.comparison import (
    brief_comparison,
    comparison_remarks,
    pair_report,
    standings_report,
)
from mabench.reports.costs.calls import cost_tables
from mabench.reports.experiments.race import pairs_table, race_report
from mabench.reports.experiments.stress import conclude_stress, describe_outcome, stress_tables
from mabench.reports.experiments.sweep import sweep_report
from mabench.reports.report import Report
from mabench.reports.tables import Column, Table, plain_table, tabulate, titles_of
from mabench.results import Measure, Run
from mabench.runs import SweepPoint
from mabench.stressing import StressReport

# The titles of the sections of a stress test, and notes on them.
_STRESS_TITLES = {
    "findings": "Findings",
    "matrix": "What was held, broken or not promised",
    "exposure": "What searches and lists exposed",
    "histories": "Histories",
    "load": "Latency under load",
    "sizes": "Size of the store",
}
# Those whose tables have a column or a line for each memory.
_SIDE_BY_SIDE = ("matrix", "exposure")
_STRESS_NOTES = {"histories": ["Operations of one step are carried out at the same time."]}
# A colour in the page's style sheet, which lists those of a light page first.
_COLOUR = re.compile(r"--([\w-]{1,30}): (#[0-9a-f]{6})")


def comparison_page(
    runs: Sequence[Run],
    title: str | None = None,
    data_page: str | None = None,
    *,
    before: Sequence[doc.Section] = (),
    after: Sequence[doc.Section] = (),
) -> str:
    """Return the page of several runs as HTML, with other sections ``before`` and ``after`` theirs.

    Questions link to ``data_page``, that of their data.

    Raises:
        UsageError: when there are more than 26 runs, or they cannot be compared.
        DataError: when a run cannot be read.
        MissingPackageError: when a package is missing.
    """
    doc.require_packages()
    if len(runs) > len(ascii_uppercase):
        raise UsageError(f"a page shows at most {len(ascii_uppercase)} runs, not {len(runs)}")
    comparison = compare(runs)
    run_by_folder = {str(run.folder): run for run in runs}
    ranked = [run_by_folder[run.run] for run in comparison.runs]
    letters = dict(zip((run.run for run in comparison.runs), ascii_uppercase, strict=False))
    names = {run.run: f"{letters[run.run]}: {run.agent}" for run in comparison.runs}
    titles, record = titles_of(run.summary for run in ranked), ranked[0].record
    agents = [run.agent for run in comparison.runs]
    compared = " \N{MULTIPLICATION SIGN} ".join(agents) if len(runs) < 4 else f"{len(runs)} runs"
    return doc.render(
        doc.name_page(title, compared, f"{record.data.name}, protocol {record.protocol}"),
        tiles=[],
        sections=[*before, *_comparison_sections(comparison, names, letters), *after],
        settings=settings_of(ranked, [*letters.values()]),
        titles=titles,
        explorer=doc.explorer_of(
            [*names.values()],
            [run.folder.name for run in ranked],
            [doc.questions_of(run) for run in ranked],
            titles,
            data_page,
        ),
    )


def _comparison_sections(
    comparison: Comparison, names: Mapping[str, str], letters: Mapping[str, str]
) -> Iterator[doc.Section]:
    """Yield the sections of a comparison; ``names`` and ``letters`` are by the runs' folders."""
    standings = standings_report(comparison, names)
    table, *memories = standings.tables
    first = brief_comparison(comparison).first
    remarks = [*standings.first, *standings.remarks]
    others = [remark for remark in remarks if remark not in first]
    yield doc.Section("result", "Result", findings=first)
    yield doc.Section("agents", "Agents", findings=others, tables=[table], notes=standings.notes)
    yield doc.Section("scores", "Scores", charts=[_forest_chart(comparison, names, letters)])
    pairs = _pair_sections(comparison, names, letters)
    won = "Won, lost, tied: questions on which the first is better, worse and as good."
    yield doc.Section("pairs", "Pairs", [won], pairs=pairs, notes=comparison_remarks(comparison))
    costs = cost_tables(comparison.runs, [*letters.values()])
    charts = [*_cost_charts(comparison, names)]
    if costs or charts:
        yield doc.Section("cost", "Score and cost", charts=charts, tables=costs, is_later=True)
    if memories:
        yield doc.Section("memory", "Memory", tables=memories, is_later=True)


def _pair_sections(
    comparison: Comparison, names: Mapping[str, str], letters: Mapping[str, str]
) -> list[doc.Section]:
    """Return a section for each pair; ``names`` and ``letters`` are by the folders of the runs."""
    sections = []
    for pair in comparison.pairs:
        a, b = letters[pair.a], letters[pair.b]
        title = f"{names[pair.a]} and {names[pair.b]}"
        report = pair_report(pair, a, b)
        sections.append(
            doc.Section(f"{a}-{b}", title, findings=report.remarks, tables=report.tables)
        )
    return sections


def whole_page(whole: Race | Sequence[SweepPoint], title: str | None = None) -> str:
    """Return the page of a race or a sweep as HTML.

    Raises:
        DataError: when a run cannot be read.
        UsageError: when no history of a race is complete yet.
        MissingPackageError: when a package is missing.
    """
    doc.require_packages()
    if isinstance(whole, Race):
        report, titles = race_report(whole)
        runs, names = whole.runs, [*whole.scores]
        tiles = list[doc.Tile]()
        section = _race_section(whole, report)
    else:
        report, titles, runs = sweep_report(whole), {}, [point.run for point in whole]
        names = [f"{point.agent}, {point.knob} {point.value:,}" for point in whole]
        scores = [f"{point.source.measures['official'] or '-'}" for point in whole]
        tiles = [
            doc.Tile(label=name, value=score, note="official")
            for name, score in zip(names, scores, strict=True)
        ]
        section = doc.Section("curve", "Curve", findings=report.first, charts=_curve_charts(whole))
        if not section.charts:
            sentences = ["No value has a score yet."]
            section = section._replace(sentences=sentences, tables=report.tables)
    return doc.render(
        doc.name_page(title, report.title, f"Protocol {runs[0].record.protocol}"),
        tiles=tiles,
        sections=[section],
        settings=settings_of(runs, names),
        titles=titles,
    )


def _race_section(race: Race, report: Report) -> doc.Section:
    """Return the section of a race, with its differences after each history as curves."""
    if not race.histories:
        raise UsageError(f"{race.folder}: no history is complete yet; a page needs one")
    return doc.Section(
        "race",
        "Race",
        findings=[*report.first, *report.remarks],
        charts=[_race_scores_chart(race), _race_differences_chart(race)],
        tables=report.tables,
        notes=report.notes,
    )


def _race_scores_chart(race: Race) -> doc.Chart:
    """Return a chart of each agent's mean score over the histories so far, after each history."""
    means = [
        Dot(f"{n}", agent, 100 * float(scores[:n].mean()))
        for agent, scores in race.scores.items()
        for n in range(1, len(scores) + 1)
    ]
    columns: tuple[Column[Dot], ...] = (
        Column("Agent", lambda dot: dot.series),
        Column("Histories", lambda dot: dot.label),
        Column("Mean score", lambda dot: dot.value, spec=".1f"),
    )
    histories = max(len(scores) for scores in race.scores.values())
    labels = [f"{n}" for n in range(1, histories + 1)]
    drawing = draw_curves(means, labels, "histories of each source", Scale("mean score, 0 to 100"))
    return doc.Chart("Scores after each history", drawing, tabulate(columns, means))


def _race_differences_chart(race: Race) -> doc.Chart:
    """Return a chart of the difference of each pair of agents, after each history."""
    # The first entry of each pair is its state before any history.
    looks = [look for _, *after in race.seen for look in after]
    dots = [
        Dot(
            label=f"{look.histories}",
            series=f"{look.a} - {look.b}",
            value=look.difference or 0.0,
            these=(look.low, look.high),
        )
        for look in looks
    ]
    labels = [f"{n}" for n in range(1, max(look.histories for look in looks) + 1)]
    drawing = draw_curves(dots, labels, "histories of each source", Scale("points", -100, 100))
    note = "Lines through dots: the 95 % intervals, which hold simultaneously."
    return doc.Chart("Differences after each history", drawing, pairs_table(looks), [note])


def stress_page(reports: Sequence[StressReport], title: str | None = None) -> str:
    """Return the page of reports of `mabench stress` as HTML.

    Raises:
        MissingPackageError: when a package is missing.
    """
    doc.require_packages()
    names, several = [report.memory for report in reports], f"{len(reports)} stresses"
    stressed = several if len(names) > 3 else " \N{MULTIPLICATION SIGN} ".join(names)
    return doc.render(
        doc.name_page(title, stressed, "Faults found by random operations"),
        tiles=[
            doc.Tile(
                label=report.memory,
                value=f"{len(report.faults)}",
                note=", ".join(report.faults) or describe_outcome(report),
            )
            for report in reports
        ],
        sections=stress_sections(reports),
        settings=doc.Section(
            "settings",
            "Settings and what was not tested",
            # Reversed, because the memory's name and result should come first here.
            [
                sentence.replace("`", "")
                for report in reports
                for sentence in reversed(conclude_stress(report))
            ],
        ),
    )


def stress_sections(reports: Sequence[StressReport]) -> Iterator[doc.Section]:
    """Yield the sections of stress reports: memories side by side, or in parts by memory."""
    together = stress_tables(reports)
    of_memories = [(report, stress_tables([report])) for report in reports]
    outcomes = [
        f"{report.memory}: {describe_outcome(report)}.".replace("`", "") for report in reports
    ]
    yield doc.Section("result", "Result", findings=outcomes)
    for name, title in _STRESS_TITLES.items():
        if name in _SIDE_BY_SIDE:
            if name in together:
                yield doc.Section(name, title, tables=_without_backticks(together[name]))
            continue
        parts = [
            doc.Section(f"{name}-{number}", report.memory, tables=_without_backticks(tables[name]))
            for number, (report, tables) in enumerate(of_memories, start=1)
            if name in tables
        ]
        charts = [*_latency_charts(reports)] if name == "load" else []
        if parts:
            notes = _STRESS_NOTES.get(name, [])
            yield doc.Section(name, title, charts=charts, parts=parts, notes=notes)


def _without_backticks(tables: Sequence[Table]) -> list[Table]:
    """Return tables whose texts have no marks of code, which a page would show as they are."""
    return [
        table._replace(
            values=[
                [value.replace("`", "") if isinstance(value, str) else value for value in row]
                for row in table.values
            ]
        )
        for table in tables
    ]


def _latency_charts(reports: Sequence[StressReport]) -> Iterator[doc.Chart]:
    """Yield a chart of the median times of calls, with lines to the longest, if any took time."""
    dots = []
    for report in reports:
        for latency in report.latency:
            if latency.p50 > 0:
                median, longest = float(latency.p50), float(latency.max)
                label = f"{latency.operation}, {write_count(latency.clients, 'client')}"
                text = f"{latency.p50:,.2f}\N{EN DASH}{latency.max:,.2f}"
                dots.append(Dot(label, report.memory, median, new=(median, longest), text=text))
    if dots:
        columns: tuple[Column[Dot], ...] = (
            Column("Call", lambda dot: dot.label),
            Column("Memory", lambda dot: dot.series),
            Column("p50 ms", lambda dot: dot.value, spec=",.2f"),
            Column("Max ms", lambda dot: dot.new and dot.new[1], spec=",.2f"),
        )
        scale = Scale.logarithmic("milliseconds, on a logarithmic scale", dots)
        title = "Time of a call: the median, with a line to the longest"
        yield doc.Chart(title, draw_rows(dots, scale), tabulate(columns, dots))


def check_plot(file: Path) -> None:
    """Check that a plot can be written, before anything is run for it.

    Raises:
        UsageError: when the file is no SVG or cannot be written.
        MissingPackageError: when a package is missing.
    """
    if file.suffix != ".svg":
        raise UsageError(
            f"{file}: plots are written as SVG only; name a file that ends in .svg",
            parameter="plot",
        )
    check_writable(file)
    doc.require_packages()


def _forest_chart(
    comparison: Comparison, names: Mapping[str, str], letters: Mapping[str, str] | None = None
) -> doc.Chart:
    """Return a chart of each run's mean score and its scores on each source, the best run first.

    ``names`` and ``letters`` are by the folders of the runs; a letter is put before each score.
    """
    runs = comparison.runs
    titles, sources = titles_of(run.summaries[0] for run in runs), [*runs[0].sources]
    shown = [comparison.headline, *sources] if len(sources) > 1 else sources
    # The headline is no source of a run.
    rows: list[tuple[str, ComparedRun, Measure]] = [
        (titles.get(source, source), run, run.sources.get(source, run.headline).measure)
        for source in shown
        for run in runs
    ]
    dots = []
    for source, run, measure in rows:
        text = f"{measure}"
        if letters:
            text = f"{letters[run.run]} {measure._replace(letters='')}"
        dots.append(
            Dot(source, names[run.run], measure.value, measure.these, measure.new, text=text)
        )
    columns: tuple[Column[tuple[str, ComparedRun, Measure]], ...] = (
        Column("Source", lambda row: row[0]),
        Column("Agent", lambda row: names[row[1].run]),
        Column("Score", lambda row: row[2].value, spec=".1f"),
        Column("95 % interval", lambda row: row[2].range(), spec=""),
    )
    drawing = draw_rows(dots, Scale(f"{comparison.score} score, 0 to 100"))
    title = "Scores by source, the best agent first"
    return doc.Chart(title, drawing, tabulate(columns, rows), doc.interval_notes(dots))


def _curve_charts(points: Sequence[SweepPoint]) -> list[doc.Chart]:
    """Return charts of the scores of a sweep, and of its hits where they are known."""
    (table,) = sweep_report(points).tables
    scores, hits = list[Dot](), list[Dot]()
    for point in points:
        source, label = point.source, f"{point.value:,}"
        score = source.measures["official"]
        if score:
            scores.append(Dot(label, point.agent, score.value, score.these, score.new))
        if source.retrieval and source.retrieval.hit is not None:
            hits.append(Dot(label, point.agent, source.retrieval.hit))
    knob, labels = points[0].knob, list(dict.fromkeys(f"{point.value:,}" for point in points))
    charts = []
    if scores:
        drawn = draw_curves(scores, labels, knob, Scale("official score, 0 to 100"))
        charts.append(doc.Chart(f"Scores by {knob}", drawn, table, doc.interval_notes(scores)))
    if scores and hits:
        drawn = draw_curves(hits, labels, knob, Scale("percent of questions"))
        charts.append(doc.Chart(f"Questions with a hit, by {knob}", drawn, table))
    return charts


def draw_figures(
    subject: Comparison | Sequence[SweepPoint], file: Path
) -> Iterator[tuple[Path, str]]:
    """Yield the files of a plot with their contents, as SVG.

    ``file`` shows the scores. A second file shows the scores of a comparison by cost, or by time if
    costs are not known, and the hits of a sweep if they are known.
    """
    if not isinstance(subject, Comparison):
        for chart, end in zip(_curve_charts(subject), ("", "-hits"), strict=False):
            yield file.with_stem(file.stem + end), _finish(chart.drawing)
        return
    yield file, _finish(_forest_chart(subject, subject.names).drawing)
    for chart in _cost_charts(subject, subject.names):
        yield file.with_stem(f"{file.stem}-cost"), _finish(chart.drawing)


def _cost_charts(comparison: Comparison, names: Mapping[str, str]) -> Iterator[doc.Chart]:
    """Yield a chart of the scores by dollars, or by seconds if not all dollars are known."""
    runs = comparison.runs
    expenses = (
        ("US dollars of a run", [run.mean_dollars() for run in runs]),
        ("seconds of a run", [run.mean_seconds() for run in runs]),
    )
    for along, amounts in expenses:
        known = [amount for amount in amounts if amount is not None]
        if len(known) == len(runs):
            rows = [*zip(runs, known, strict=True)]
            scores = [run.headline.measure for run in runs]
            points = [
                Dot(f"{amount}", names[run.run], score.value, score.these, score.new)
                for (run, amount), score in zip(rows, scores, strict=True)
            ]
            drawing = draw_points(points, along, Scale(f"{comparison.score} score, 0 to 100"))
            columns: tuple[Column[tuple[ComparedRun, float]], ...] = (
                Column("Agent", lambda row: names[row[0].run]),
                Column("Score", lambda row: row[0].headline.measure.value, spec=".1f"),
                Column(f"{along[0].upper()}{along[1:]}", lambda row: row[1], spec=",.4g"),
            )
            notes = doc.interval_notes(points)
            yield doc.Chart(f"Score by {along}", drawing, tabulate(columns, rows), notes)
            return


def _finish(drawing: str) -> str:
    """Return a chart in the colours of a light page, on white."""
    colours: dict[str, str] = {}
    for name, colour in _COLOUR.findall(doc.read_asset("page.css")):
        colours.setdefault(name, colour)  # That of a light page, which comes first.
    svg = re.sub(r"var\(--([\w-]+)\)", lambda match: colours[match[1]], drawing)
    svg = svg.replace('aria-hidden="true" ', "", 1)
    # After the first tag, which is that of the drawing.
    return svg.replace(">", '><rect width="100%" height="100%" fill="#ffffff"/>', 1)


def settings_of(runs: Sequence[Run], names: Sequence[str]) -> doc.Section:
    """Return the section of the settings and versions of runs, with a column for each run."""
    settings = [_list_settings(run) for run in runs]
    keys = dict.fromkeys(key for of_run in settings for key, value in of_run.items() if value)
    # The name of a setting, and its value in each run.
    rows = [(key, *(of_run.get(key) or None for of_run in settings)) for key in keys]
    if len(runs) == 1:
        table = plain_table(("Setting", "Value"), rows)
        return doc.Section("settings", "Settings and versions", tables=[table])
    differing, shared = [], []
    for key, *values in rows:
        if len({*values}) > 1:
            differing.append((key, *values))
        else:
            shared.append((key, values[0]))
    same = plain_table(("Setting", "Value of all"), shared)
    return doc.Section(
        "settings",
        "Settings and versions that differ",
        tables=[plain_table(("Setting", *names), differing)] if differing else [],
        folded=[("Settings and versions that all share", same)] if shared else [],
    )


def _list_settings(run: Run) -> Mapping[str, str | None]:
    """Return the settings and versions of a run, by their names on the page."""
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
