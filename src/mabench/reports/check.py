"""The findings about an agent as a table, and what they mean for its scores."""

from __future__ import annotations

from mabench.check import Report
from mabench.reports.table import Table


def check_table(report: Report) -> Table:
    """Return one row for each check."""
    rows = [
        (
            finding.check,
            "FAILED" if finding.status == "failed" else finding.status,
            finding.message,
            f"{finding.seconds:.1f}",
        )
        for finding in report.findings
    ]
    return Table(("Check", "Result", "What was seen", "Seconds"), rows, (False, False, False, True))


def conclusion(report: Report) -> str:
    """Return what the findings mean for scores, in a sentence."""
    fatal = [finding.check for finding in report.findings if finding.invalidates]
    if fatal:
        return f"{report.agent}: its scores would mean nothing; failed: {', '.join(fatal)}."
    return f"{report.agent}: nothing was found that would invalidate its scores."
