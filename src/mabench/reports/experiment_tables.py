"""The tables about experiments: checks of an agent, runs, estimates, sweeps, repeats, judges."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean, stdev

from mabench.check import CheckReport
from mabench.check.findings import Finding
from mabench.models import Estimate
from mabench.reports.tables import NONE, Column, Measure, Table, Value, plain_columns, tabulate
from mabench.results import Agreement, JudgeName, ListedRun, Run, State
from mabench.runs import SweepPoint

_MINUTE = 16  # How much of an ISO 8601 time goes to the minute.


def check_table(report: CheckReport) -> Table:
    """Return one row for each check."""
    columns: tuple[Column[Finding], ...] = (
        Column("Check", lambda finding: finding.check),
        Column("Result", lambda finding: finding.status.replace("failed", "FAILED")),
        Column("What was seen", lambda finding: finding.message),
        Column("Seconds", lambda finding: finding.seconds, ".1f"),
    )
    return tabulate(columns, report.findings)


def conclusion(report: CheckReport) -> str:
    """Return what the findings mean for scores, in a sentence."""
    fatal = [finding.check for finding in report.findings if finding.invalidates]
    if fatal:
        return f"{report.agent}: its scores would mean nothing; failed: {', '.join(fatal)}."
    return f"{report.agent}: nothing was found that would invalidate its scores."


def runs_table(runs: Sequence[ListedRun]) -> Table:
    """Return one row for each run folder."""
    columns: tuple[Column[ListedRun], ...] = (
        Column("Run", lambda run: run.folder),
        Column("State", _state),
        Column("Score", lambda run: run.score, ".1f"),
        Column("Began, UTC", lambda run: (run.date or NONE)[:_MINUTE].replace("T", " ")),
        Column("Agent", lambda run: run.agent or NONE),
        Column("Data", lambda run: run.data or NONE),
    )
    return tabulate(columns, runs)


def _state(run: ListedRun) -> str:
    if run.problem:
        return f"damaged: {run.problem}"
    if run.state == State.FAILED:
        return f"complete, {run.errors} failed"
    if run.state == State.COMPLETE:
        return run.state
    return f"{run.state}, {run.asked} of {run.questions}"


def estimate_table(estimates: Sequence[Estimate]) -> Table:
    """Return one row for each source, and one for all."""
    answers = [one.answers for one in estimates if one.answers is not None]
    costs = [one.cost for one in estimates if one.cost is not None]
    total = Estimate(
        "All",
        sum(one.calls for one in estimates),
        sum(one.input_tokens for one in estimates),
        sum(one.output_tokens for one in estimates),
        sum(costs) if len(costs) == len(estimates) else None,
        sum(one.hours for one in estimates),
        sum(answers),
    )
    columns: tuple[Column[Estimate], ...] = (
        Column("Source", lambda row: row.source),
        Column("Answers to judge", lambda row: row.answers or 0, ",", when=lambda _: bool(answers)),
        Column("Calls", lambda row: row.calls, ","),
        Column("Input tokens", lambda row: row.input_tokens, ","),
        Column("Output tokens, at most", lambda row: row.output_tokens, ","),
        Column("US dollars", lambda row: row.cost, ",.2f", "unknown"),
        Column("Hours", lambda row: row.hours, ".2f"),
    )
    return tabulate(columns, [*estimates, total])


def sweep_table(knob: str, points: Sequence[SweepPoint]) -> Table:
    """Return one row for each value, with scores from 0 to 100 and seconds."""

    def official(point: SweepPoint) -> Measure | None:
        return Measure.of(point.source.official, point.source.interval)

    def corrected(point: SweepPoint) -> Measure | None:
        return Measure.of(point.source.corrected, point.source.interval_corrected)

    def hits(point: SweepPoint) -> float | None:
        return point.source.retrieval.hit if point.source.retrieval else None

    def interval(point: SweepPoint) -> str | None:
        return measure.range() if (measure := official(point)) else None

    columns: tuple[Column[SweepPoint], ...] = (
        Column(knob, lambda point: point.value, ","),
        Column("n", lambda point: point.source.n, ""),
        Column("Errors", lambda point: point.source.errors, ""),
        Column("Official", official, ".1f"),
        Column("Corrected", corrected, ".1f"),
        Column("Memorize s", lambda point: point.source.seconds_memorize, ".2f"),
        Column("Answer s", lambda point: point.source.seconds_answer, ".2f"),
        Column("95 % interval, official", interval, "", formats=["page"]),
        Column("Gold retrieved", hits, ".1f", formats=[]),  # Is drawn on the page.
    )
    return tabulate(columns, points)


def repeat_table(runs: Sequence[Run]) -> Table:
    """Return one row for each source: mean and standard deviation over two runs or more."""
    rows: list[Sequence[Value]] = []
    for name in runs[0].summary.sources:
        sources = [run.summary.sources[name] for run in runs]
        official = _spread([source.official for source in sources])
        corrected = _spread([source.corrected for source in sources])
        rows.append((name, len(runs), *official, *corrected))
    return tabulate(plain_columns(("Source", "Runs", "Official", "SD", "Corrected", "SD")), rows)


def _spread(scores: Sequence[float | None]) -> tuple[Value, Value]:
    values = [score for score in scores if score is not None]
    if len(values) < len(scores):
        return None, None
    return Measure(fmean(values)), Measure(stdev(values))


def agreement_table(agreements: Sequence[Agreement]) -> Table:
    """Return one row for each two judges of a source."""

    def name(judge: JudgeName) -> str:
        return f"{judge.model} ({judge.prompts[:8]})"

    columns: tuple[Column[Agreement], ...] = (
        Column("Source", lambda row: row.source),
        Column("Judge", lambda row: name(row.one)),
        Column("Other judge", lambda row: name(row.other)),
        Column("Compared", lambda row: row.compared),
        Column("n", lambda row: row.n, ""),
        Column("Agree", lambda row: row.agreed, ".1%"),
        Column("Kappa", lambda row: row.kappa, ".3f"),
        Column("Score apart", lambda row: 100 * row.difference, ".1f"),
    )
    return tabulate(columns, agreements)
