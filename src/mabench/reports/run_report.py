"""The report of a run, or of a file of predictions."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from pydantic import TypeAdapter

from mabench.errors import DataError, UsageError
from mabench.reports.calls import call_remarks, calls_table
from mabench.reports.diagnosis import diagnosis
from mabench.reports.layout import Report, format_markdown, show_reports
from mabench.reports.leaderboard import published_json, published_table
from mabench.reports.remarks import (
    gold_remarks,
    interval_remarks,
    leak_remarks,
    mismatch_remarks,
    score_remarks,
)
from mabench.reports.run_tables import Sources, run_tables
from mabench.results import (
    PredictionsSummary,
    QuestionPlace,
    Run,
    RunVerdicts,
    ScoreSummary,
    total_scores,
)
from mabench.userfile import read_json_file

if TYPE_CHECKING:
    from rich.console import Console


def show(
    run: Run,
    layout: str,
    console: Console,
    audit_file: Path | None = None,
    *,
    published: bool = False,
) -> None:
    """Print the report of a run in a layout: ``table``, ``markdown``, ``csv`` or ``json``.

    An ``audit_file`` of the data adds the scores on the questions that it does not flag, and
    ``published`` the best published figures of the run's columns.

    Raises:
        DataError: when the run or the audit cannot be read.
        UsageError: when there is no such format, or the audit is of other data.
    """

    def reports() -> Iterator[Report]:
        yield _report(run, audit_file, published=published)

    def content() -> object:
        fields = run.summary.as_dict()
        if published:
            fields["published"] = published_json(run.summary)
        if audit_file:
            verified = _verify(run, audit_file)
            fields["verified"] = {name: scores.as_dict() for name, scores in verified.items()}
        return fields

    show_reports(reports(), content, layout, console)


def show_predictions(summary: PredictionsSummary, layout: str, console: Console) -> None:
    """Print the scores of a file of predictions; ``layout`` as for ``show``."""
    tables = run_tables(summary)
    mismatches = mismatch_remarks(summary.predictions)
    remarks = [*interval_remarks(tables), *score_remarks(summary), *mismatches]
    show_reports([Report(_title(summary), tables, remarks)], summary.as_dict, layout, console)


def markdown(run: Run) -> str:
    """Return the report of a run as Markdown."""
    return format_markdown(_report(run))


def _report(run: Run, audit_file: Path | None = None, *, published: bool = False) -> Report:
    summary = run.summary
    tables = run_tables(summary, _verify(run, audit_file) if audit_file else None)
    if published:
        tables.append(published_table(summary))
    calls = summary.calls
    if calls and calls.memorizing.totals.calls + calls.answering.totals.calls:
        tables.append(calls_table(calls))
    remarks = [
        *(summary.damaged or ()),
        *interval_remarks(tables),
        *score_remarks(summary),
        *call_remarks(calls),
        *diagnosis(summary),
        *leak_remarks(summary.leaks or {}),
        *gold_remarks(run),
    ]
    return Report(_title(summary), tables, remarks)


def _title(summary: ScoreSummary) -> str:
    return f"{summary.agent} on {summary.data}, protocol {summary.protocol}"


@dataclass(frozen=True, slots=True)
class _AuditFile:
    """What is needed of an audit that was kept as JSON."""

    schema: Literal[1]
    fingerprint: str
    flags: list[QuestionPlace]


def _verify(run: Run, audit_file: Path) -> Sources:
    """Return each source's scores over the questions that an audit does not flag."""
    record = run.record
    try:
        audit = TypeAdapter(_AuditFile).validate_python(read_json_file(audit_file))
    except (OSError, ValueError) as error:
        why = f" ({error.strerror})" if isinstance(error, OSError) else ""
        raise DataError(
            f"{audit_file}: no audit that can be read{why}; make one with `mabench audit` and "
            "`as_json`, and keep what it prints"
        ) from error
    if audit.fingerprint != record.data.fingerprint:
        data = shlex.quote(record.data.location or "PATH")
        raise UsageError(
            f"{audit_file} is the audit of another data set than the run's; make one with "
            f"mabench audit {data} and `as_json`",
            parameter="verified",
        )
    flagged = {place.key for place in audit.flags}
    # Of the judges only what they decided: they have judged other questions, too.
    verdicts = RunVerdicts(RunVerdicts.of(run.store).metrics)
    questions = (scored for scored in run.questions() if scored.sample.key not in flagged)
    return total_scores(questions, record.questions, verdicts).sources
