"""Reports: what a run's figures look like on a screen, in Markdown and in JSON."""

from mabench.reports.agreement import agreement_table
from mabench.reports.audits import audit_tables
from mabench.reports.beside import show_beside
from mabench.reports.check import check_table, conclusion
from mabench.reports.contents import contents_table
from mabench.reports.estimate import estimate_table
from mabench.reports.inventory import inventory_table
from mabench.reports.matches import match_remarks
from mabench.reports.render import FORMATS, markdown, print_table, show, show_summary
from mabench.reports.repeat import repeat_table
from mabench.reports.sweep import sweep_table

__all__ = [
    "FORMATS",
    "agreement_table",
    "audit_tables",
    "check_table",
    "conclusion",
    "contents_table",
    "estimate_table",
    "inventory_table",
    "markdown",
    "match_remarks",
    "print_table",
    "repeat_table",
    "show",
    "show_beside",
    "show_summary",
    "sweep_table",
]
