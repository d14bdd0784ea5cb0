"""The report of a run, or of a file of predictions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from itertools import chain
from pathlib import Path

from rich.console import Console

from mabench.families import family_of
from mabench.lookup import Capabilities
from mabench.reports.costs.calls import call_remarks, calls_table
from mabench.reports.diagnosis import diagnose
from mabench.reports.failures import failure_remarks
from mabench.reports.formats import show_reports
from mabench.reports.leaderboard import put_beside
from mabench.reports.program_tables import score_rows, score_table
from mabench.reports.report import Report
from mabench.reports.run_tables import run_tables
from mabench.reports.score_remarks import leak_remarks, score_remarks
from mabench.reports.sentences import say
from mabench.reports.tables import Table, retitle, titles_of
from mabench.reports.verification import verify_scores
from mabench.results import (
    ModelRecord,
    PredictionsSummary,
    Run,
    RunSummary,
    ScoreSummary,
    SourceScores,
)

# How many of the predictions that do not match are named, of each kind.
_MOST_NAMED = 10


def show(
    run: Run,
    layout: str,
    console: Console,
    audit_file: Path | None = None,
    system: str | None = None,
) -> None:
    """Print the report of a run.

    Args:
        run: the run.
        layout: ``table``, ``markdown``, ``latex``, ``csv`` or ``json``.
        console: where to print.
        audit_file: an audit of the data; adds the scores on the questions that it does not flag.
        system: adds the published figures of this system; ``best``: the best of each column.

    Raises:
        DataError: when the run or the audit cannot be read.
        UsageError: when there is no such format or system, or the audit is of other data.
    """
    published, theirs = put_beside(run, system) if system else (Report(), ())
    verified = verify_scores(run, audit_file) if audit_file else None

    def reports() -> Iterator[Report]:
        yield _report(run.summary, _run_remarks(run), verified)
        if system:
            yield published

    def content() -> object:
        fields = run.summary.as_dict()
        if system:
            fields["beside"] = {figure.on: figure.as_dict() for figure in theirs}
        if verified:
            fields["verified"] = {name: scores.as_dict() for name, scores in verified.items()}
        return fields

    def tidy() -> Table:
        rows = score_rows(run.summary, str(run.folder), verified)
        others = (
            (one.published, one.system, one.on, "official", one.asked, one.score, *[None] * 3)
            for one in theirs
        )
        return score_table([*rows, *others])

    show_reports(reports(), content, layout, console, tidy)


def show_predictions(summary: PredictionsSummary, layout: str, console: Console) -> None:
    """Print the scores of a file of predictions; ``layout`` as for ``show``."""
    reports = [_report(summary, [*score_remarks(summary), *_mismatch_remarks(summary)])]
    tidy = partial(score_table, score_rows(summary))
    show_reports(reports, summary.as_dict, layout, console, tidy)


def _report(
    summary: ScoreSummary, remarks: list[str], verified: Mapping[str, SourceScores] | None = None
) -> Report:
    tables = [*chain(*run_tables(summary, verified).values())]
    calls = summary.calls if isinstance(summary, RunSummary) else None
    if calls and calls.memorizing.totals.calls + calls.answering.totals.calls:
        tables.append(calls_table(calls))
    title = f"{summary.agent} on {summary.data}, protocol {summary.protocol}"
    report = Report.of(title, tables, remarks)._replace(first=failure_remarks(summary))
    return retitle(report, titles_of([summary]))


def _run_remarks(run: Run) -> list[str]:
    summary = run.summary
    return [
        *(summary.damaged or ()),
        *([f"Conversations are {summary.takes}."] if summary.takes else ()),
        *score_remarks(summary),
        *_model_remarks(run.record.model),
        *call_remarks(summary.calls),
        *diagnose(summary),
        *leak_remarks(summary.leaks or {}),
        *_gold_remarks(run),
    ]


def _model_remarks(model: ModelRecord | None) -> Iterator[str]:
    """Yield what makes answers of a model on this machine differ between runs."""
    if model and model.local and model.local.slots > 1:
        yield say("slots", model=model.name, slots=model.local.slots)


def _gold_remarks(run: Run) -> Iterator[str]:
    """Yield each question that an agent which knows the gold gets wrong: a fault of ours."""
    if not Capabilities.of(run.record.agent).takes_gold:
        return
    who, sources = run.record.agent.capitalize(), run.record.all_sources
    for question in run.questions():
        sample, value = question.sample, question.official
        if value is not None and value < 1:
            metric = family_of(sample.source, sources).metric
            place = {"source": sample.source, "row": sample.row, "question": sample.question_index}
            answer = {"prediction": sample.prediction, "golds": sample.answers}
            yield say("short_of_gold", agent=who, metric=metric, value=value, **place, **answer)


def _mismatch_remarks(summary: PredictionsSummary) -> Iterator[str]:
    """Yield how many predictions are unknown, missing or repeated, and the first of each."""
    mismatches = summary.predictions
    for what, places in (
        ("unknown: they match no question of the data set", mismatches.unknown),
        ("ambiguous: they match several questions, and count for none", mismatches.ambiguous),
        ("missing: questions without a prediction count as wrong", mismatches.missing),
        ("duplicate: of several predictions for a question the first counts", mismatches.duplicate),
    ):
        if places:
            yield f"{len(places)} {what}."
            yield from (f"  {place}" for place in places[:_MOST_NAMED])
        if len(places) > _MOST_NAMED:
            yield f"  and {len(places) - _MOST_NAMED} more, listed in the JSON output."
