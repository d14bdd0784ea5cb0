"""The report of a run, or of a file of predictions."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Literal

from pydantic import TypeAdapter
from rich.console import Console

from mabench.errors import DataError, UsageError
from mabench.families import family_of
from mabench.lookup import Capabilities
from mabench.reports.costs import call_remarks, calls_table
from mabench.reports.layout import Report, say, show_reports
from mabench.reports.leaderboard import beside
from mabench.reports.remarks import diagnosis, interval_remarks, leak_remarks, score_remarks
from mabench.reports.run_tables import run_tables, score_rows, score_table
from mabench.reports.tables import Table, retitle, titles_of
from mabench.results import (
    PredictionsSummary,
    QuestionPlace,
    Run,
    RunVerdicts,
    ScoreSummary,
    SourceScores,
    total_scores,
)
from mabench.userfile import read_json_file

# How many of the predictions that do not fit are named, of each kind.
_NAMED = 10


def show(
    run: Run,
    layout: str,
    console: Console,
    audit_file: Path | None = None,
    system: str | None = None,
) -> None:
    """Print the report of a run in a layout: ``table``, ``markdown``, ``csv`` or ``json``.

    An ``audit_file`` of the data adds the scores on the questions that it does not flag, and a
    ``system`` its published figures; ``best`` is the best of each column.

    Raises:
        DataError: when the run or the audit cannot be read.
        UsageError: when there is no such format or system, or the audit is of other data.
    """
    published, theirs = beside(run, system) if system else (Report(), ())
    verified = _verify(run, audit_file) if audit_file else None

    def reports() -> Iterator[Report]:
        yield _report(run, verified)
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
    tables = [*chain(*run_tables(summary).values())]
    remarks = [*score_remarks(summary), *_mismatch_remarks(summary)]
    report = Report(_title(summary), tables, remarks, interval_remarks(tables))
    report = retitle(report, titles_of([summary]))
    show_reports(
        [report], summary.as_dict, layout, console, lambda: score_table(score_rows(summary))
    )


def _report(run: Run, verified: Mapping[str, SourceScores] | None = None) -> Report:
    summary = run.summary
    tables = [*chain(*run_tables(summary, verified).values())]
    calls = summary.calls
    if calls and calls.memorizing.totals.calls + calls.answering.totals.calls:
        tables.append(calls_table(calls))
    remarks = [
        *(summary.damaged or ()),
        *([f"Conversations are {summary.takes}."] if summary.takes else ()),
        *score_remarks(summary),
        *call_remarks(calls),
        *diagnosis(summary),
        *leak_remarks(summary.leaks or {}),
        *_gold_remarks(run),
    ]
    report = Report(_title(summary), tables, remarks, interval_remarks(tables))
    return retitle(report, titles_of([summary]))


def _gold_remarks(run: Run) -> list[str]:
    """Return each question on which an agent that is handed the gold falls short: a defect."""
    if not Capabilities.of(run.record.agent).takes_gold:
        return []
    who, sources = run.record.agent.capitalize(), run.record.all_sources
    shortfalls = []
    for sample, value, *_ in run.questions():
        if value is not None and value < 1:
            metric = family_of(sample.source, sources).metric
            place = {"source": sample.source, "row": sample.row, "question": sample.question_index}
            answer = {"prediction": sample.prediction, "golds": sample.answers}
            shortfalls.append(
                say("short_of_gold", agent=who, metric=metric, value=value, **place, **answer)
            )
    return shortfalls


def _mismatch_remarks(summary: PredictionsSummary) -> Iterator[str]:
    """Yield how many predictions are unknown, missing or repeated, and the first of each."""
    mismatches = summary.predictions
    for what, places in (
        ("unknown: they match no question of the data set, or more than one", mismatches.unknown),
        ("missing: questions without a prediction count as wrong", mismatches.missing),
        ("duplicate: of several predictions for a question the first counts", mismatches.duplicate),
    ):
        if places:
            yield f"{len(places)} {what}."
            yield from (f"  {place}" for place in places[:_NAMED])
        if len(places) > _NAMED:
            yield f"  and {len(places) - _NAMED} more, listed in the JSON output."


def _title(summary: ScoreSummary) -> str:
    return f"{summary.agent} on {summary.data}, protocol {summary.protocol}"


@dataclass(frozen=True, slots=True)
class _AuditFile:
    """What is needed of an audit that was kept as JSON."""

    schema: Literal[1]
    fingerprint: str
    flags: list[QuestionPlace]


def _verify(run: Run, audit_file: Path) -> Mapping[str, SourceScores]:
    """Return each source's scores over the questions that an audit does not flag."""
    record = run.record
    try:
        audit = TypeAdapter(_AuditFile).validate_python(read_json_file(audit_file))
    except (OSError, ValueError) as error:
        why = f" ({error.strerror})" if isinstance(error, OSError) else ""
        raise DataError(
            f"{audit_file}: not a readable audit{why}; make one with `mabench audit` and "
            "`as_json`, and save its output"
        ) from error
    if audit.fingerprint != record.data.fingerprint:
        data = shlex.quote(record.data.location or "PATH")
        raise UsageError(
            f"{audit_file} is an audit of a different data set; make one of the run's with "
            f"mabench audit {data} and `as_json`",
            parameter="verified",
        )
    flagged = {place.key for place in audit.flags}
    # Of the judges only what they decided: they have judged other questions, too.
    verdicts = RunVerdicts(run.store.families())
    questions = (scored for scored in run.questions() if scored.sample.key not in flagged)
    return total_scores(questions, record.questions, verdicts).sources
