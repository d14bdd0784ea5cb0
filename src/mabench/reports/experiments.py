"""Reports of experiments: sweeps, races, plans of comparisons, and stresses of memories."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Generic, NamedTuple, TypeVar

from rich.console import Console

from mabench.bench.facts import VersionedFacts
from mabench.comparison import Comparison, Design, Plan
from mabench.data.inventory import SOURCES
from mabench.json_text import JsonRecord
from mabench.printable import write_count, write_points
from mabench.races import Race
from mabench.reports.comparison import standings_report
from mabench.reports.layout import Report, say, show_reports
from mabench.reports.listings import list_table
from mabench.reports.run_report import failure_remarks
from mabench.reports.run_tables import LIMITS, score_columns, score_rows
from mabench.reports.tables import Column, Table, plain_table, retitle, tabulate, titles_of
from mabench.results import RacePair
from mabench.runs import SweepPoint
from mabench.stressing import StressFinding, StressReport
from mabench.stressing.operations import Operation, facts_of_seed
from mabench.stressing.report import Latency, Size
from mabench.uncertainty import MIN_HISTORIES


def sweep_report(points: Sequence[SweepPoint]) -> Report:
    """Return what is swept, and a row for each agent and value, with scores and seconds."""

    def hits(point: SweepPoint) -> float | None:
        return point.source.retrieval.hit if point.source.retrieval else None

    def interval(point: SweepPoint) -> str | None:
        return measure.range() if (measure := point.source.measures["official"]) else None

    scores: list[Column[SweepPoint]] = score_columns(lambda point: point.source)
    columns: list[Column[SweepPoint]] = [
        Column("Agent", lambda point: point.agent, least=8),
        # The title says it, too.
        Column("Source", lambda point: point.source_name, spare=lambda _: 1, key=True),
        Column(points[0].knob, lambda point: point.value, ",", key=True),
        Column("n", lambda point: point.source.n, ""),
        *scores,
        Column("Hits", hits, ".1f", when=lambda points: any(hits(each) for each in points)),
        Column("Memorize s", lambda point: point.source.seconds_memorize, ".2f"),
        Column("Answer s", lambda point: point.source.seconds_answer, ".2f"),
        Column("95 % interval, official", interval, "", formats=["page"]),
    ]
    agents = ", ".join(dict.fromkeys(point.agent for point in points))
    title = f"{agents} on {points[0].source_name} by {points[0].knob}, made-up rows"
    report = Report.of(title, [tabulate(columns, points)])
    failures = (
        f"{point.agent}, {point.knob} {point.value:,}: {sentence}"
        for point in points
        for sentence in failure_remarks(point.run.summary)
    )
    return report._replace(first=[*failures])


def show_whole(
    whole: Race | Sequence[SweepPoint],
    layout: str,
    console: Console,
    comparisons: Mapping[int | float, Comparison] | None = None,
) -> None:
    """Print a race; or a sweep, with the ``comparisons`` of its agents by value.

    Raises ``UsageError`` for an unknown layout.
    """
    if isinstance(whole, Race):
        report, result = retitle(*race_report(whole)), whole.result
        show_reports([report], result.as_dict, layout, console, lambda: _tidy(result.pairs))
        return
    points, compared = whole, comparisons or {}

    def content() -> object:
        keys = ("agent", "source", "knob", "value")
        named = ((one, (one.agent, one.source_name, one.knob, one.value)) for one in points)
        listed = [
            {**dict(zip(keys, key, strict=True)), **one.source.as_dict()} for one, key in named
        ]
        pairs = [{"value": value, **each.as_dict()} for value, each in compared.items()]
        return {"points": listed, "comparisons": pairs} if compared else listed

    def tidy() -> Table:
        titles = ("run", "agent", points[0].knob, "source", "metric", "n", "score", *LIMITS)
        rows = [
            (str(point.run.folder), point.agent, point.value, point.source_name, *more)
            for point in points
            for _, _, _, *more in score_rows(point.run.summary)
        ]
        return plain_table(titles, (row for row in rows if row[6] is not None))

    remarks = [
        f"{points[0].knob} {value:,}: {' '.join(standings_report(comparison).remarks)}"
        for value, comparison in compared.items()
    ]
    report = sweep_report(points)._replace(remarks=remarks)
    show_reports([report], content, layout, console, tidy)


def race_report(race: Race) -> tuple[Report, Mapping[str, str]]:
    """Return what a reader sees of a race, and what its sources are called."""
    titles = titles_of(run.summary for run in race.runs)
    sources = "; ".join(titles.get(name, name) for name in race.plan.sources)
    tied = "tied with the best" if race.left[1:] else "best"
    if any(pair.beaten for pair in race.pairs_left):
        tied = "beaten by another that it beats in a circle"
    scores = {name: 100 * float(own.mean()) for name, own in race.scores.items() if len(own)}
    agents: tuple[Column[str], ...] = (
        Column("Agent", str),
        Column("Histories", lambda name: len(race.scores[name]), ""),
        Column("Score", scores.get, ".1f"),
        Column("Standing", lambda name: tied if name in race.left else "beaten"),
    )
    tables = [tabulate(agents, race.scores), list_table(RacePair, race.pairs)]
    findings = [race.conclusion]
    for pair in race.pairs:
        if pair.beaten and len(race.scores) > 2:
            better = pair.a if pair.beaten == pair.b else pair.b
            findings.append(
                f"{better} has beaten {pair.beaten} after {write_count(pair.histories, 'history')}."
            )
        elif pair in race.pairs_left:
            apart = f"{pair.a} - {pair.b} lies within {pair.interval} points"
            findings.append(f"The true difference {apart}.")
    title = f"Race of {', '.join(race.scores)} on {sources}"
    failures = [
        f"{run.summary.agent}: {sentence}"
        for run in race.runs
        for sentence in failure_remarks(run.summary)
    ]
    return Report(title, tables, findings, [*_race_notes(race)], failures), titles


def _tidy(records: Sequence[JsonRecord]) -> Table:
    names = [*records[0].as_dict()]
    return plain_table(names, [[record[name] for name in names] for record in records])


def _race_notes(race: Race) -> Iterator[str]:
    plan, pairs = race.plan, len(race.pairs)
    of_pairs = "" if pairs == 1 else f" of all {pairs} pairs"
    margin = f", margin {write_points(plan.margin)}" if plan.margin else ""
    builds = f", {plan.builds} builds of each history" if plan.builds > 1 else ""
    hold = "hold after every history, so you may look at any time."
    yield f"In 95 % of races, the intervals{of_pairs} {hold}"
    yield f"Plan {plan.hash[:12]}, seed {plan.seed}{margin}{builds}."
    if any(0 in (pair.low, pair.high) for pair in race.pairs):
        yield "An interval that ends at 0 shows which agent is better, but not by how much."
    whole = [
        run.summary.agent
        for run in race.runs
        if (of := [source.retrieval for source in run.summary.sources.values()])
        and all(retrieval and retrieval.is_exhaustive for retrieval in of)
    ]
    if whole[1:]:
        yield say("no_search", agents=", ".join(whole[:-1]), last=whole[-1])


def show_plan(plan: Plan, layout: str, console: Console) -> None:
    """Print a plan; raises ``UsageError`` for an unknown layout."""
    titles, reports = plan.titles or {}, []
    purposes = {
        "difference": f"To tell {' and '.join(plan.agents)} apart",
        "budget": "What the budget can show",
        "published": "What all published rows can show",
    }
    for purpose, title in purposes.items():
        if designs := [design for design in plan.designs if design.purpose == purpose]:
            report = Report(title, [list_table(Design, designs)])
            # The published rows are not those of the runs, and keep their names.
            reports.append(report if purpose == "published" else retitle(report, titles))
    reports[-1] = reports[-1]._replace(notes=[*_plan_notes(plan)])
    show_reports(reports, plan.as_dict, layout, console, lambda: _tidy(plan.designs))


def _plan_notes(plan: Plan) -> Iterator[str]:
    yield say("power")
    if any(design.low for design in plan.designs):
        yield "95 %: the range of histories if the variance is at either end of its interval."
    if any(design.hours for design in plan.designs):
        yield say("time")
    if any("as the runs" not in source.variances for source in plan.sources.values()):
        yield say("typical")
    if not plan.agents[1:]:
        yield "As if another agent cost and varied as much, with nothing in common."
    runs = {name for name, source in plan.sources.items() if source.histories}
    few = (one.name for one in SOURCES if one.rows < MIN_HISTORIES)
    if single := ", ".join(name for name in few if name in runs or not runs):
        yield say("no_price", names=single)
    if alone := ", ".join(name for name, one in plan.sources.items() if one.histories == 1):
        yield say("one_history", names=retitle(alone, plan.titles or {}))


_T = TypeVar("_T")
_MS = ",.2f"


class _Of(NamedTuple, Generic[_T]):
    """A part of what has this name, and how it reads."""

    name: str
    part: _T
    words: str = ""


_IN_WORDS = {
    "add": "add{texts}{whose}{at}: {text!r}{more}",
    "update": "update{texts}{whose}{at}: {text!r}{more}",
    "delete": "delete{texts}{whose}: about {subject}{more}",
    "delete-user": "delete all{whose}",
    "search": "search{texts}{whose}{as_of}: {query!r}{more}, k={k}",
    "list": "list{whose}{times}",
    "ready": "wait until ready",
    "reopen": "close and reopen",
    "kill": "kill -9, and reopen",
    "disk-full": "let the disk be full",
    "disk-free": "let the disk have space again",
    "model-spoiled": "let the model's server misbehave",
    "model-well": "let the model's server do well again",
}
_FINDINGS: tuple[Column[_Of[StressFinding]], ...] = (
    Column("Memory", lambda row: row.name, when="several"),
    Column("Finding", lambda row: row.part.name),
    Column("Severity", lambda row: row.part.severity),
    Column("Operations", lambda row: len(row.part.history), "d"),
    Column("What was seen", lambda row: row.part.message),
)
_HISTORY: tuple[Column[_Of[Operation]], ...] = (
    Column("History", lambda row: row.name),
    Column("Step", lambda row: str(row.part.step)),
    Column("Client", lambda row: str(row.part.client), when="several"),
    Column("Operation", lambda row: row.words),
)
_LATENCY: tuple[Column[_Of[Latency]], ...] = (
    Column("Memory", lambda row: row.name, when="several"),
    Column("Call", lambda row: row.part.operation, key=True),
    Column("Clients", lambda row: row.part.clients, "d", key=True),
    Column("Calls", lambda row: row.part.calls, ",d", spare=lambda rows: 1),
    Column("p50 ms", lambda row: row.part.p50, _MS),
    Column("p95 ms", lambda row: row.part.p95, _MS),
    Column("p99 ms", lambda row: row.part.p99, _MS),
    Column("Max ms", lambda row: row.part.max, _MS),
    Column("Calls/s", lambda row: row.part.per_second, ",.0f"),
)
_SIZES: tuple[Column[_Of[Size]], ...] = (
    Column("Memory", lambda row: row.name, when="several"),
    Column("Texts", lambda row: row.part.texts, ",d", key=True),
    Column("Bytes", lambda row: row.part.bytes, ",d"),
    Column("Bytes per 1,000 tokens", lambda row: row.part.per_1000_tokens, ",.0f"),
    Column("Search, p50 ms", lambda row: row.part.search, _MS),
)


def _in_words(operation: Operation, facts: VersionedFacts) -> str:
    count = operation.count
    whose = f" of {operation.user}" if operation.user else ""
    if count is not None and (operation.clients or 1) > 1:
        whose += f", {operation.clients} at a time"
    time = operation.time.isoformat() if operation.time else ""
    return _IN_WORDS[operation.op].format(
        texts="" if count is None else f" {write_count(count, 'text')}",
        times="" if count is None else f", {write_count(count, 'time')}",
        more="" if count is None else ", …",
        whose=whose,
        at=f" at {time}" if time else "",
        as_of=f" as of {time}" if time else "",
        text=facts.text(operation.fact, operation.version),
        subject=facts.subject(operation.fact),
        query=facts.query(operation.fact, operation.version),
        k=operation.k,
    )


def stress_tables(reports: Sequence[StressReport]) -> dict[str, list[Table]]:
    """Return tables of findings, of their histories, of latencies and of sizes, where any are.

    Below the latencies of the memories stands the harness's own share.
    """
    calls = [_Of(report.memory, each) for report in reports for each in report.latency]
    calls += [
        _Of(report.memory, replace(each, operation=f"{each.operation}, nothing"))
        for report in reports
        for each in report.harness
    ]
    findings = [_Of(report.memory, each) for report in reports for each in report.findings]
    sizes = [_Of(report.memory, each) for report in reports for each in report.sizes]
    histories = []
    for report in reports:
        facts = facts_of_seed(report.seed)
        for found in report.findings:
            steps = [_Of(found.name, each, _in_words(each, facts)) for each in found.history]
            histories.append(tabulate(_HISTORY, steps))
    tables = {
        "findings": [tabulate(_FINDINGS, findings)] if findings else [],
        "histories": histories,
        "load": [tabulate(_LATENCY, calls)] if calls else [],
        "sizes": [tabulate(_SIZES, sizes)] if sizes else [],
    }
    return {name: of for name, of in tables.items() if of}


def conclude_stress(report: StressReport, quiet: bool = False) -> list[str]:
    """Return sentences on what was found, and on what was not looked into."""
    sentences = []
    if ready := report.readiness:
        how = "by ready()" if ready.declared else "by repeated searches"
        p50, p95, most = (f"{1000 * each:,.1f} ms" for each in (ready.p50, ready.p95, ready.max))
        sentences.append(say("until_found", how=how, p50=p50, p95=p95, most=most, n=ready.n))
    sentences += [
        f"Time ran out after {write_count(each.histories, 'history')} of {each.what}."
        for each in report.tried
        if each.histories and not each.complete
    ]
    if missed := [each.what for each in report.tried if not (each.histories or each.complete)]:
        sentences.append(say("no_time", names=", ".join(missed)))
    if report.not_tried:
        sentences.append(f"Not tested: {'; '.join(report.not_tried)}.")
    if report.harness:
        sentences.append("The rows `nothing` show the harness's own overhead.")
    conclusion = f"{report.memory}: {describe_outcome(report)} (seed {report.seed})."
    return [conclusion] if quiet else [*sentences, conclusion]


def describe_outcome(report: StressReport) -> str:
    """Return which faults were found, or of how much none."""
    if new := [name for name in report.faults if name not in report.known]:
        return f"faults: {', '.join(new)}"
    if report.faults:
        return f"no new fault; known: {', '.join(report.faults)}"
    if not report.tried:
        return "no fault was seen again"
    if histories := sum(each.histories for each in report.tried):
        return f"no fault was found in {write_count(histories, 'history')}"
    return "nothing can be concluded: no history was made; allow more time with `seconds`"
