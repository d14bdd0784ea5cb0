"""Pages of one run, of several, of a sweep, a race and stresses, as HTML."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from statistics import fmean
from string import ascii_uppercase
from typing import Any

from mabench.comparison import compare
from mabench.errors import UsageError
from mabench.page.charts import Dot, Scale, draw_curves
from mabench.page.document import Chart, Menu, Section, Tile, render, require_packages
from mabench.page.plots import curve_charts, forest_chart
from mabench.page.questions import PageQuestion, pack_questions
from mabench.page.sections import answer_times, run_sections
from mabench.races import Race
from mabench.reports.comparison import comparison_remarks, pair_report, standings_report
from mabench.reports.costs import cost_tables, duration
from mabench.reports.experiments import pair_table, race_report, sweep_table, sweep_title
from mabench.reports.stress import conclude_stress, describe_outcome, stress_tables
from mabench.reports.tables import plain_table
from mabench.reports.titles import Titles, titles_of
from mabench.results import PARTS, Intervals, Measure, Run, RunSummary
from mabench.runs import SweepPoint
from mabench.stress_tests import StressReport
from mabench.uncertainty import Grouped

_STRESS = {
    "findings": "Findings",
    "histories": "Histories",
    "load": "Latency under load",
    "sizes": "What a store grows to",
}
_NOTES = {"histories": ["Operations of one step are carried out at the same time."]}


def run_page(run: Run) -> str:
    """Return the page of a run; raises ``DataError`` or ``MissingPackageError``."""
    require_packages()
    questions = PageQuestion.of_run(run)
    if not questions:
        raise UsageError(f"{run.folder}: no question has been asked yet; a page needs at least one")
    summary, titles = run.summary, titles_of([run.summary])
    return render(
        title=summary.agent,
        subtitle=f"{summary.data}, protocol {summary.protocol}",
        tiles=_tiles(summary, questions),
        sections=run_sections(summary, questions),
        settings=_settings([run], [summary.agent]),
        titles=titles,
        explorer=_explorer_of([summary.agent], [run.folder.name], [questions], titles),
    )


def comparison_page(runs: Sequence[Run]) -> str:
    """Return the page of several runs; raises as ``run_page``, and ``UsageError``."""
    require_packages()
    if len(runs) > len(ascii_uppercase):
        raise UsageError(f"a page shows at most {len(ascii_uppercase)} runs, not {len(runs)}")
    order = [run.run for run in compare(runs).ranked]
    runs = sorted(runs, key=lambda run: order.index(str(run.folder)))
    comparison = compare(runs)  # Again, so that all stand in the order of the table.
    letters = dict(zip((run.run for run in comparison.runs), ascii_uppercase, strict=False))
    names = {run.run: f"{letters[run.run]}: {run.agent}" for run in comparison.runs}
    agents = [run.agent for run in comparison.runs]
    standings = standings_report(comparison, names)
    table, *memories = standings.tables
    costs = cost_tables(comparison.runs, [*letters.values()])
    titles, record = titles_of(run.summary for run in runs), runs[0].record
    pairs = []
    for pair in comparison.pairs:
        a, b = letters[pair.a], letters[pair.b]
        report, title = pair_report(pair, a, b), f"{names[pair.a]} and {names[pair.b]}"
        pairs.append(Section(f"{a}-{b}", title, findings=report.remarks, tables=report.tables))
    sections = [
        Section(
            "agents", "Agents", findings=standings.remarks, tables=[table], notes=standings.notes
        ),
        Section("scores", "Scores", charts=[forest_chart(comparison, names, letters)]),
        Section(
            "pairs",
            "Pairs",
            ["Won, lost, tied: questions on which the first is better, worse and as good."],
            pairs=pairs,
            notes=comparison_remarks(comparison),
        ),
        *([Section("cost", "Score and cost", tables=costs)] if costs else []),
        *([Section("memory", "Memory", tables=memories)] if memories else []),
    ]
    folders, listed = [run.folder.name for run in runs], [PageQuestion.of_run(run) for run in runs]
    return render(
        title=" \N{MULTIPLICATION SIGN} ".join(agents) if len(runs) < 4 else f"{len(runs)} runs",
        subtitle=f"{record.data.name}, protocol {record.protocol}",
        tiles=[],
        sections=sections,
        settings=_settings(runs, [*letters.values()]),
        titles=titles,
        explorer=_explorer_of([*names.values()], folders, listed, titles),
    )


def _explorer_of(
    names: Sequence[str],
    folders: Sequence[str],
    runs: Sequence[Sequence[PageQuestion]],
    titles: Titles,
) -> dict[str, Any]:
    """Return the questions of runs for the script, their list's columns, and what filters them.

    ``names`` are those of the agents, with a letter where there are several.
    """
    listed = runs[0]
    letters = ascii_uppercase if len(runs) > 1 else ""
    columns, outcomes = ["Question", "Gold", "Answer", "Rank", "Cause"], {}
    if letters:
        columns = ["Question", "Gold", "Runs"]
        outcomes = {f"only:{i}": f"only {letters[i]} right, or better" for i in range(len(runs))}
        outcomes |= {"all": "all right", "none": "none right", "differ": "scores differ"}
    parts = {
        f"{place}:{part}": f"{letters[place : place + 1]} {head.lower()}".strip()
        for place, run in enumerate(runs)
        for part, (_, head, *_) in PARTS.items()
        if any(question.view.part == part for question in run)
    }
    sources = dict.fromkeys(question.view.sample.source for question in listed)
    options = {name: titles.get(name, name) for name in sources}
    menus: list[Menu] = [("source", "Source", "all", options)]
    menus += [("outcome", "Outcome", "any", outcomes)] if outcomes else []
    without = (question.view.without for run in runs for question in run)
    numbers = "Passages are shown only by chunk number"
    return {
        "script": "run.js",
        "data": pack_questions(runs),
        "about": {
            "names": names,
            "folders": folders,
            "titles": titles,
            "parts": {name: part.words for name, part in PARTS.items()},
            "heads": {name: part.head for name, part in PARTS.items()},
        },
        "total": len(listed),
        "columns": columns,
        "menus": [*menus, ("cause", "Cause", "any", parts)],
        "texts": "in questions, golds, answers",
        "notes": [f"{numbers}: {note}" for note in dict.fromkeys(without) if note],
    }


def sweep_page(points: Sequence[SweepPoint]) -> str:
    """Return the page of a sweep; raises ``DataError`` or ``MissingPackageError``."""
    require_packages()
    names = [f"{point.agent}, {point.knob} {point.value:,}" for point in points]
    scores = [point.source.measures["official"] for point in points]
    if charts := curve_charts(points):
        curve = Section("curve", "Curve", charts=charts)
    else:
        table = sweep_table(points)
        curve = Section("curve", "Curve", ["No value has a score yet."], tables=[table])
    return render(
        title=sweep_title(points),
        subtitle=f"Protocol {points[0].run.record.protocol}",
        tiles=[
            Tile(name, "-" if score is None else f"{score}", "official")
            for name, score in zip(names, scores, strict=True)
        ],
        sections=[curve],
        settings=_settings([point.run for point in points], names),
    )


def race_page(race: Race) -> str:
    """Return the page of a race; raises ``DataError`` or ``MissingPackageError``."""
    require_packages()
    if not race.histories:
        raise UsageError(f"{race.folder}: no history is complete yet; a page needs one")
    report, titles = race_report(race)
    looks = [look for pair in race.pairs for look in race.looks(pair)]
    dots = [
        Dot(f"{one.histories}", f"{one.a} - {one.b}", one.difference or 0.0, (one.low, one.high))
        for one in looks
    ]
    labels = [f"{n}" for n in range(1, max(look.histories for look in looks) + 1)]
    drawn = draw_curves(dots, labels, "histories of each source", Scale("points", -100, 100))
    note = "Lines through dots: the 95 % intervals, which hold simultaneously."
    chart = Chart("Differences after each history", drawn, pair_table(looks), [note])
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


def stress_page(reports: Sequence[StressReport]) -> str:
    """Return the page of reports of `mabench stress`; raises ``MissingPackageError``."""
    require_packages()
    names = [report.memory for report in reports]
    several = f"{len(names)} stresses"
    return render(
        title=several if len(names) > 3 else " \N{MULTIPLICATION SIGN} ".join(names),
        subtitle="What was found when it was used at random",
        tiles=[
            Tile(
                each.memory, str(len(each.faults)), ", ".join(each.faults) or describe_outcome(each)
            )
            for each in reports
        ],
        sections=[
            Section(name, _STRESS[name], tables=tables, notes=_NOTES.get(name, []))
            for name, tables in stress_tables(reports).items()
        ],
        settings=Section(
            "settings",
            "Settings and what was not tried",
            [sentence for report in reports for sentence in conclude_stress(report)],
        ),
    )


def _tiles(summary: RunSummary, questions: Sequence[PageQuestion]) -> Iterator[Tile]:
    spent = summary.spent
    sources = {name: one for name, one in summary.sources.items() if one.official is not None}
    if overall := summary.means["Overall"].measures["official"]:
        yield Tile("Overall", f"{overall}", "official")
    elif sources:
        corrected = [one.corrected for one in sources.values() if one.corrected is not None]
        note = f"official, in the mean of {len(sources)} sources"
        if len(corrected) == len(sources):
            note += f"; corrected {fmean(corrected):.1f}"
        asked = ([one for one in questions if one.view.sample.source == name] for name in sources)
        scores = [
            Grouped.of([one.view.official or 0.0 for one in of], [one.key[:2] for one in of])
            for of in asked
        ]
        intervals = Intervals.of([(1 / len(scores), of_source) for of_source in scores])
        yield Tile("Score", f"{Measure.of(summary.headline, intervals)}", note)
    expected = sum(source.expected for source in summary.sources.values())
    note = f"of {expected:,}" if expected > spent.n else f"of {len(summary.sources)} sources"
    yield Tile("Questions", f"{spent.n:,}", note)
    yield Tile("Errors", f"{spent.errors:,}")
    hits = [question.hit > 0 for question in questions if question.hit is not None]
    if hits:
        by = {one.view.sample.hit_by for one in questions if one.hit is not None}
        name = "Evidence retrieved" if by == {"evidence"} else "Gold mentioned"
        yield Tile(name, f"{100 * sum(hits) / len(hits):.1f} %", "where known")
    if times := answer_times(questions):
        yield Tile("Median answer", duration(times[0]), f"p95 {duration(times[1])}")
    if spent.input_tokens is not None:
        cost = "" if spent.cost is None else f", ${spent.cost:,.2f}"
        note = f"{spent.output_tokens or 0:,} out{cost}"
        yield Tile("Tokens in", f"{spent.input_tokens:,}", note)


def _settings(runs: Sequence[Run], names: Sequence[str]) -> Section:
    settings = [_describe(run) for run in runs]
    keys = dict.fromkeys(key for one in settings for key, value in one.items() if value)
    rows = [(key, *(one.get(key) or None for one in settings)) for key in keys]
    titles = ("Setting", *(names if len(runs) > 1 else ["Value"]))
    table = plain_table(titles, rows)
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
