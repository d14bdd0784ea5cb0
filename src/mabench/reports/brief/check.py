"""The reports of `mabench check`: whether an agent's scores would mean anything, and the checks."""

from __future__ import annotations

from collections.abc import Sequence

from mabench.check import CheckReport, Finding
from mabench.check.findings import Status
from mabench.printable import write_count
from mabench.reports.brief.remarks import first_remarks
from mabench.reports.report import Report
from mabench.reports.tables import Column, tabulate


def brief_check(report: CheckReport) -> Report:
    """Return the short report: the verdict, a table of what was not passed, what was skipped."""
    unpassed, skipped = [], []
    for finding in report.findings:
        if finding.status in (Status.FAILED, Status.WARNING):
            unpassed.append(finding)
        elif finding.status is Status.SKIPPED:
            skipped.append(f"{finding.check} ({finding.message})")
    return Report(
        first=[check_sentence(report)],
        tables=[tabulate(_FINDINGS, _shorten_repeated(unpassed))] if unpassed else [],
        remarks=first_remarks([f"Not checked: {', '.join(skipped)}."] if skipped else []),
    )


def full_check(report: CheckReport) -> Report:
    """Return the full report: the verdict, and a table of every check."""
    table = tabulate(_FINDINGS, _shorten_repeated(report.findings))
    return Report(first=[check_sentence(report)], tables=[table])


def check_sentence(report: CheckReport) -> str:
    """Return whether the scores of an agent would mean anything, by its checks."""
    fatal = [finding.check for finding in report.findings if finding.invalidates]
    if fatal:
        return f"{report.agent}: its scores would mean nothing; failed: {', '.join(fatal)}."
    passed = sum(finding.status is Status.PASSED for finding in report.findings)
    checks = f"{passed} of {write_count(len(report.findings), 'check')} passed"
    return f"{report.agent}: nothing was found that would invalidate its scores; {checks}."


def _shorten_repeated(findings: Sequence[Finding]) -> list[Finding]:
    """Return the findings; a failure with an earlier one's message refers to that one."""
    first_checks: dict[str, str] = {}  # By message, the first check that failed with it.
    shortened = []
    for finding in findings:
        first_check = finding.check
        if finding.status is Status.FAILED:
            first_check = first_checks.setdefault(finding.message, finding.check)
        if first_check == finding.check:
            shortened.append(finding)
        else:
            shortened.append(finding._replace(message=f"the same as in {first_check!r}"))
    return shortened


_FINDINGS: tuple[Column[Finding], ...] = (
    Column("Check", lambda finding: finding.check),
    Column("Result", lambda finding: finding.status.replace("failed", "FAILED")),
    Column("What was seen", lambda finding: finding.message),
    Column("Seconds", lambda finding: finding.seconds, spec=".1f"),
)
