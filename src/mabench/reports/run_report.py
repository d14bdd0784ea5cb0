"""The report of a run, or of a file of predictions."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from pydantic import TypeAdapter

from mabench.errors import DataError, UsageError
from mabench.reports.call_tables import call_remarks, calls_of, calls_table
from mabench.reports.diagnosis import diagnosis
from mabench.reports.layout import (
    Layout,
    Report,
    interval_remark,
    markdown_report,
    print_json,
    print_report,
)
from mabench.reports.leaderboard import published_json, published_table
from mabench.reports.remarks import gold_remarks, leak_remarks, mismatch_remarks, score_remarks
from mabench.reports.run_tables import Sources, run_tables
from mabench.results import (
    PredictionsSummary,
    QuestionPlace,
    Run,
    ScoreSummary,
    read_metrics,
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
    """Print the report of a run.

    Args:
        run: the run.
        layout: ``table``, ``markdown`` or ``json``.
        console: where to print.
        audit_file: an audit of the data set; scores on the questions that it does not flag
            stand beside the others.
        published: whether the best published figures stand beside the run's columns.

    Raises:
        DataError: when the run or the audit cannot be read.
        UsageError: when there is no such format, or the audit is of other data.
    """
    form = Layout.named(layout)
    verified = verified_sources(run, audit_file) if audit_file else None
    if form is not Layout.JSON:
        print_report(_report(run, verified, published=published), form, console)
        return
    content = run.summary.as_dict()
    if published:
        content["published"] = published_json(run.summary)
    if verified is not None:
        content["verified"] = {name: scores.as_dict() for name, scores in verified.items()}
    print_json(content, console)


def show_predictions(summary: PredictionsSummary, layout: str, console: Console) -> None:
    """Print the scores of a file of predictions; ``layout`` as for ``show``."""
    form = Layout.named(layout)
    if form is Layout.JSON:
        print_json(summary.as_dict(), console)
        return
    tables = run_tables(summary)
    remarks = [
        *interval_remark(tables),
        *score_remarks(summary),
        *mismatch_remarks(summary.predictions),
    ]
    print_report(Report(_title(summary), tables, remarks), form, console)


def markdown(run: Run) -> str:
    """Return the report of a run as Markdown."""
    return markdown_report(_report(run))


def _report(run: Run, verified: Sources | None = None, *, published: bool = False) -> Report:
    summary = run.summary
    tables = run_tables(summary, verified)
    if published:
        tables.append(published_table(summary))
    calls = calls_of(summary)
    if calls and calls.memorizing.totals.calls + calls.answering.totals.calls:
        tables.append(calls_table(calls))
    remarks = [
        *(summary.damaged or ()),
        *interval_remark(tables),
        *score_remarks(summary),
        *(call_remarks(calls) if calls else ()),
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


def verified_sources(run: Run, audit_file: Path) -> Sources:
    """Return the scores of each source over the questions that an audit does not flag.

    Args:
        run: the run.
        audit_file: what ``mabench audit`` printed as JSON.

    Raises:
        DataError: when the file is no audit.
        UsageError: when it is the audit of another data set than the run's.
    """
    record = run.record
    try:
        audited = TypeAdapter(_AuditFile).validate_python(read_json_file(audit_file))
    except (OSError, ValueError) as error:
        why = f" ({error.strerror})" if isinstance(error, OSError) else ""
        raise DataError(
            f"{audit_file}: no audit that can be read{why}; make one with `mabench audit` and "
            "`as_json`, and keep what it prints"
        ) from error
    if audited.fingerprint != record.data.fingerprint:
        data = shlex.quote(record.data.location or "PATH")
        raise UsageError(
            f"{audit_file} is the audit of another data set than the run's; make one with "
            f"mabench audit {data} and `as_json`",
            parameter="verified",
        )
    flagged = {place.key for place in audited.flags}
    questions = (scored for scored in run.questions() if scored.sample.key not in flagged)
    return total_scores(questions, record.questions, read_metrics(run.store)).sources
