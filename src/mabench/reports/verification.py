"""Computes a run's scores without the questions whose golds an audit flags as doubtful."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from pydantic import TypeAdapter

from mabench.errors import DataError, UsageError
from mabench.pasteable import write_command
from mabench.results import QuestionPlace, Run, RunVerdicts, SourceScores, total_scores
from mabench.userfile import read_json_file


@dataclass(frozen=True, slots=True)
class _AuditFile:
    """What is read of a file with an audit in JSON."""

    schema: Literal[1]  # The only version of the format.
    fingerprint: str  # Of the data set that was audited.
    flags: list[QuestionPlace]


def verify_scores(run: Run, audit_file: Path) -> Mapping[str, SourceScores]:
    """Return the scores of each source on the questions that an audit does not flag.

    Raises:
        DataError: when the audit cannot be read.
        UsageError: when the audit is of another data set.
    """
    record, audit = run.record, _read_audit(audit_file)
    if audit.fingerprint != record.data.fingerprint:
        command = write_command("audit", record.data.location or "PATH")
        raise UsageError(
            f"{audit_file} is an audit of a different data set; make one of the run's with "
            f"{command} and `as_json`",
            parameter="verified",
        )
    flagged = {place.key for place in audit.flags}
    # New verdicts, so that judges' errors on flagged questions do not count.
    verdicts = RunVerdicts(run.store.families())
    verified = (question for question in run.questions() if question.sample.key not in flagged)
    return total_scores(verified, record.questions, verdicts).sources


def _read_audit(audit_file: Path) -> _AuditFile:
    """Return an audit from its file.

    Raises:
        DataError: when it cannot be read.
    """
    try:
        return TypeAdapter(_AuditFile).validate_python(read_json_file(audit_file))
    except (OSError, ValueError) as error:
        why = f" ({error.strerror})" if isinstance(error, OSError) else ""
        raise DataError(
            f"{audit_file}: not a readable audit{why}; make one with `mabench audit` and "
            "`as_json`, and save its output"
        ) from error
