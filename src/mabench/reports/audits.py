"""An audit as tables, and the scores of a run on the questions that it does not flag."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from mabench.audit import SCHEMA, Audit
from mabench.data import sources_declared
from mabench.errors import DataError, UsageError
from mabench.reports.table import Table
from mabench.runs import Run
from mabench.runs.results.summary import summarize_samples


def audit_tables(found: Audit) -> tuple[Table, ...]:
    """Return the tables of an audit.

    They hold the flagged questions, how many each reason flags and, where there are sources in
    which later facts supersede earlier ones, the best score of an agent that keeps to that.
    """
    flags = [
        (flag.source, str(flag.row), str(flag.question_index), flag.reason, flag.detail)
        for flag in found.flags
    ]
    counts = [(reason, str(number)) for reason, number in found.counts().items()]
    flagged = len({flag[:3] for flag in found.flags})
    counts.append((f"flagged, of {found.questions} questions", str(flagged)))
    ceilings = [(source, f"{score:.1f}") for source, score in found.ceilings().items()]
    tables = (
        Table(
            ("Source", "Row", "Question", "Reason", "Detail"),
            flags,
            (False, True, True) + (False,) * 2,
        ),
        Table(("Reason", "Questions"), counts, (False, True)),
    )
    if not ceilings:
        return tables
    return (*tables, Table(("Source", "Best score by the rule"), ceilings, (False, True)))


def verified_sources(run: Run, audit_file: Path) -> dict[str, dict[str, Any]]:
    """Return the summary of each source over the questions that an audit does not flag.

    Args:
        run: the run.
        audit_file: what ``mabench audit PATH --json`` printed.

    Raises:
        DataError: when the file is no audit.
        UsageError: when it is the audit of another data set than the run's.
    """
    audited = _read(audit_file)
    settings = run.settings
    if audited["fingerprint"] != settings["data"]["fingerprint"]:
        raise UsageError(
            f"{audit_file} is the audit of another data set than the run's; make one with "
            f"mabench audit {settings['data']['location'] or 'PATH'} --json"
        )
    flagged = {(flag["split"], flag["row"], flag["question_index"]) for flag in audited["flags"]}
    kept = [sample for sample in run.samples() if sample.key not in flagged]
    sources: dict[str, dict[str, Any]] = summarize_samples(
        kept, settings["questions"], sources=sources_declared(settings.get("sources"))
    )["sources"]
    return sources


def _read(path: Path) -> dict[str, Any]:
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise DataError(f"{path}: not readable as JSON: {error}") from error
    if not isinstance(content, dict) or content.get("schema") != SCHEMA or "flags" not in content:
        raise DataError(f"{path}: no audit; make one with mabench audit PATH --json")
    return content
