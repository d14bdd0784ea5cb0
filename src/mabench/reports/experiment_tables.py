"""The tables about experiments: checks of an agent, estimates, sweeps, repeats, judges."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean, stdev

from mabench.check import CheckReport
from mabench.models import Estimate
from mabench.reports.layout import NONE, Table, score_cell
from mabench.results import Agreement, JudgeName, ListedRun, Run, State
from mabench.runs import SweepPoint

_HASH = 8
_MINUTE = 16  # How much of an ISO 8601 time goes to the minute.


def check_table(report: CheckReport) -> Table:
    """Return one row for each check."""
    rows = [
        (
            finding.check,
            "FAILED" if finding.status == "failed" else finding.status,
            finding.message,
            f"{finding.seconds:.1f}",
        )
        for finding in report.findings
    ]
    return Table(("Check", "Result", "What was seen", "Seconds"), rows, (False, False, False, True))


def conclusion(report: CheckReport) -> str:
    """Return what the findings mean for scores, in a sentence."""
    fatal = [finding.check for finding in report.findings if finding.invalidates]
    if fatal:
        return f"{report.agent}: its scores would mean nothing; failed: {', '.join(fatal)}."
    return f"{report.agent}: nothing was found that would invalidate its scores."


def runs_table(runs: Sequence[ListedRun]) -> Table:
    """Return one row for each run folder."""
    rows = [
        (
            run.folder,
            _state(run),
            score_cell(run.score),
            (run.date or NONE)[:_MINUTE].replace("T", " "),
            run.agent or NONE,
            run.data or NONE,
        )
        for run in runs
    ]
    headers = ("Run", "State", "Score", "Began, UTC", "Agent", "Data")
    return Table(headers, rows, (False, False, True, False, False, False))


def _state(run: ListedRun) -> str:
    """Return how far a run came, in words."""
    if run.problem:
        return f"damaged: {run.problem}"
    if run.state == State.FAILED:
        return f"complete, {run.errors} failed"
    if run.state == State.COMPLETE:
        return run.state
    return f"{run.state}, {run.asked} of {run.questions}"


def estimate_table(estimates: Sequence[Estimate]) -> Table:
    """Return one row for each source, and one for all."""
    judging = any(estimate.answers is not None for estimate in estimates)
    amounts = ("Calls", "Input tokens", "Output tokens, at most", "US dollars", "Hours")
    headers = ("Source", *(["Answers to judge"] if judging else []), *amounts)
    rows = [(one.source, *_amounts(one, judging)) for one in [*estimates, _total(estimates)]]
    return Table(headers, rows, (False,) + (True,) * (len(headers) - 1))


def _amounts(estimate: Estimate, judging: bool) -> list[str]:
    return [
        *([f"{estimate.answers or 0:,}"] if judging else []),
        f"{estimate.calls:,}",
        f"{estimate.input_tokens:,}",
        f"{estimate.output_tokens:,}",
        "unknown" if estimate.cost is None else f"{estimate.cost:,.2f}",
        f"{estimate.hours:.2f}",
    ]


def _total(estimates: Sequence[Estimate]) -> Estimate:
    costs = [one.cost for one in estimates if one.cost is not None]
    return Estimate(
        "All",
        sum(one.calls for one in estimates),
        sum(one.input_tokens for one in estimates),
        sum(one.output_tokens for one in estimates),
        sum(costs) if len(costs) == len(estimates) else None,
        sum(one.hours for one in estimates),
        sum(one.answers or 0 for one in estimates),
    )


def sweep_table(knob: str, points: Sequence[SweepPoint]) -> Table:
    """Return one row for each value, with scores from 0 to 100 and seconds."""
    headers = (knob, "n", "Errors", "Official", "Corrected", "Memorize s", "Answer s")
    rows = [
        (
            f"{point.value:,}",
            str(source.n),
            str(source.errors),
            score_cell(source.official),
            score_cell(source.corrected),
            *map(_seconds, (source.seconds_memorize, source.seconds_answer)),
        )
        for point in points
        for source in [point.source]
    ]
    return Table(headers, rows, (True,) * len(headers))


def _seconds(value: float | None) -> str:
    return NONE if value is None else f"{value:.2f}"


def repeat_table(runs: Sequence[Run]) -> Table:
    """Return one row for each source: mean and standard deviation over two runs or more."""
    headers = ("Source", "Runs", "Official", "SD", "Corrected", "SD")
    rows = []
    for name in runs[0].summary.sources:
        sources = [run.summary.sources[name] for run in runs]
        official = _spread([source.official for source in sources])
        corrected = _spread([source.corrected for source in sources])
        rows.append((name, str(len(runs)), *official, *corrected))
    return Table(headers, rows, (False,) + (True,) * 5)


def _spread(scores: Sequence[float | None]) -> tuple[str, str]:
    """Return mean and standard deviation; dashes unless all scores are known."""
    known = [score for score in scores if score is not None]
    if len(known) < len(scores):
        return NONE, NONE
    return score_cell(fmean(known)), score_cell(stdev(known))


def agreement_table(agreements: Sequence[Agreement]) -> Table:
    """Return one row for each two judges of a source."""
    headers = ("Source", "Judge", "Other judge", "Compared", "n", "Agree", "Kappa", "Score apart")
    rows = [
        (
            one.source,
            _judge_name(one.one),
            _judge_name(one.other),
            one.compared,
            str(one.n),
            f"{one.agreed:.1%}",
            NONE if one.kappa is None else f"{one.kappa:.3f}",
            f"{100 * one.difference:.1f}",
        )
        for one in agreements
    ]
    return Table(headers, rows, (False,) * 4 + (True,) * 4)


def _judge_name(judge: JudgeName) -> str:
    """Return a judge's name for a reader: the model, and the start of the prompts' hash."""
    return f"{judge.model} ({judge.prompts[:_HASH]})"
