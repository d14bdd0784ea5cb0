"""Computes a run's scores on only those questions that an audit does not flag."""

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
    """The fields that are needed of an audit in JSON."""

    schema: Literal[1]
    fingerprint: str
    flags: list[QuestionPlace]


def verify_scores(run: Run, audit_file: Path) -> Mapping[str, SourceScores]:
    """Return the scores of each source on the questions that an audit does not flag.

    Raises:
        DataError: when the audit cannot be read.
        UsageError: when the audit is of another data set.
    """
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
        command = write_command("audit", record.data.location or "PATH")
        raise UsageError(
            f"{audit_file} is an audit of a different data set; make one of the run's with "
            f"{command} and `as_json`",
            parameter="verified",
        )
    flagged = {place.key for place in audit.flags}
    # New verdicts, so that judges' errors on flagged questions do not count.
    verdicts = RunVerdicts(run.store.families())
    questions = (scored for scored in run.questions() if scored.sample.key not in flagged)
    return total_scores(questions, record.questions, verdicts).sources
