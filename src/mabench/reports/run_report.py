"""A run's report as terminal tables, as Markdown, or as JSON."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from pydantic import TypeAdapter, ValidationError

from mabench.errors import DataError, UsageError
from mabench.reports.diagnosis import diagnosis
from mabench.reports.remarks import gold_remarks, score_remarks
from mabench.reports.run_tables import Sources, run_tables
from mabench.reports.table import (
    Layout,
    escaped,
    markdown_list,
    markdown_table,
    print_plain,
    print_table,
)
from mabench.runs import Run, ScoreSummary, score_samples

if TYPE_CHECKING:
    from rich.console import Console


def show(run: Run, layout: str, console: Console, audit_file: Path | None = None) -> None:
    """Print the report of a run.

    Args:
        run: the run.
        layout: ``table``, ``markdown`` or ``json``.
        console: where to print.
        audit_file: an audit of the data set; scores on the questions that it does not flag
            stand beside the others.

    Raises:
        DataError: when the run or the audit cannot be read.
        UsageError: when there is no such format, or the audit is of other data.
    """
    form = Layout.named(layout)
    verified = verified_sources(run, audit_file) if audit_file else None
    if form is Layout.JSON:
        report = run.summary.as_dict()
        if verified is not None:
            report["verified"] = {name: scores.as_dict() for name, scores in verified.items()}
        print_plain(console, json.dumps(report, indent=2, ensure_ascii=False))
    elif form is Layout.MARKDOWN:
        print_plain(console, markdown(run, verified))
    else:
        show_summary(run.summary, console, _run_remarks(run), verified)


def markdown(run: Run, verified: Sources | None = None) -> str:
    """Return the report as Markdown; ``verified`` as for ``source_table``."""
    summary = run.summary
    parts = [
        f"**{escaped(_title(summary))}**",
        *map(markdown_table, run_tables(summary, verified)),
        markdown_list([*score_remarks(summary), *_run_remarks(run)]),
    ]
    return "\n\n".join(part for part in parts if part)


def show_summary(
    summary: ScoreSummary,
    console: Console,
    remarks: Iterable[str] = (),
    verified: Sources | None = None,
) -> None:
    """Print the tables of a summary on a terminal, what must be known of them, and remarks."""
    from rich.text import Text

    console.print(Text(_title(summary), style="bold"))
    for table in run_tables(summary, verified):
        print_table(table, console)
    for remark in [*score_remarks(summary), *remarks]:
        console.print(Text(remark))


def _title(summary: ScoreSummary) -> str:
    return f"{summary.agent} on {summary.data}, protocol {summary.protocol}"


def _run_remarks(run: Run) -> list[str]:
    return [*diagnosis(run.summary), *gold_remarks(run)]


@dataclass(frozen=True, slots=True)
class _Place:
    """The place of a question that an audit flags."""

    split: str
    row: int
    question_index: int


@dataclass(frozen=True, slots=True)
class _AuditFile:
    """What is needed of an audit that was kept as JSON."""

    schema: Literal[1]
    fingerprint: str
    flags: list[_Place]


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
        audited = TypeAdapter(_AuditFile).validate_json(audit_file.read_bytes())
    except (OSError, ValidationError) as error:
        raise DataError(
            f"{audit_file}: no audit that can be read; make one with mabench audit PATH and "
            f"`as_json` ({str(error).splitlines()[0]})"
        ) from error
    if audited.fingerprint != record.data.fingerprint:
        raise UsageError(
            f"{audit_file} is the audit of another data set than the run's; make one with "
            f"mabench audit {record.data.location or 'PATH'} and `as_json`",
            parameter="verified",
        )
    flagged = {(place.split, place.row, place.question_index) for place in audited.flags}
    samples = (sample for sample in run.samples() if sample.key not in flagged)
    return score_samples(samples, record.questions, sources=record.all_sources).sources
