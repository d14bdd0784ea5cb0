"""The short report of a check: whether scores mean anything, and what was not passed."""

from __future__ import annotations

from collections.abc import Sequence

from mabench.check import CheckReport, Finding
from mabench.check.findings import Status
from mabench.printable import write_count
from mabench.reports.brief.remarks import first_remarks
from mabench.reports.report import Report
from mabench.reports.tables import Column, tabulate


def brief_check(report: CheckReport) -> Report:
    """Return the short report of a check: its verdict, and a table of what was not passed."""
    findings = report.findings
    listed = [one for one in findings if one.status in (Status.FAILED, Status.WARNING)]
    skipped = [f"{one.check} ({one.message})" for one in findings if one.status is Status.SKIPPED]
    return Report(
        first=[check_sentence(report)],
        tables=[tabulate(_FINDINGS, _shorten_repeated(listed))] if listed else [],
        remarks=first_remarks([f"Not checked: {', '.join(skipped)}."] if skipped else []),
    )


def full_check(report: CheckReport) -> Report:
    """Return the report of a check with every check."""
    table = tabulate(_FINDINGS, _shorten_repeated(report.findings))
    return Report(first=[check_sentence(report)], tables=[table])


def check_sentence(report: CheckReport) -> str:
    """Return what the checks say of an agent's scores."""
    fatal = [finding.check for finding in report.findings if finding.invalidates]
    if fatal:
        return f"{report.agent}: its scores would mean nothing; failed: {', '.join(fatal)}."
    passed = sum(one.status is Status.PASSED for one in report.findings)
    checks = f"{passed} of {write_count(len(report.findings), 'check')} passed"
    return f"{report.agent}: nothing was found that would invalidate its scores; {checks}."


def _shorten_repeated(findings: Sequence[Finding]) -> list[Finding]:
    """Return the findings; a failure with an earlier one's message refers to that one."""
    first_with: dict[str, str] = {}  # The first failed check, by its message.
    shortened = []
    for finding in findings:
        if finding.status == "failed":
            first = first_with.setdefault(finding.message, finding.check)
            if first != finding.check:
                finding = finding._replace(message=f"the same as in {first!r}")
        shortened.append(finding)
    return shortened


_FINDINGS: tuple[Column[Finding], ...] = (
    Column("Check", lambda finding: finding.check),
    Column("Result", lambda finding: finding.status.replace("failed", "FAILED")),
    Column("What was seen", lambda finding: finding.message),
    Column("Seconds", lambda finding: finding.seconds, ".1f"),
)
