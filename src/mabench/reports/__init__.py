"""Reports: what a run's figures look like on a screen, in Markdown and in JSON."""

from mabench.reports.beside import show_beside
from mabench.reports.data_tables import audit_tables, contents_table, inventory_table
from mabench.reports.experiment_tables import (
    agreement_table,
    check_table,
    conclusion,
    estimate_table,
    repeat_table,
    sweep_table,
)
from mabench.reports.remarks import mismatch_remarks
from mabench.reports.run_report import markdown, show, show_summary
from mabench.reports.table import Layout, print_table

__all__ = [
    "Layout",
    "agreement_table",
    "audit_tables",
    "check_table",
    "conclusion",
    "contents_table",
    "estimate_table",
    "inventory_table",
    "markdown",
    "mismatch_remarks",
    "print_table",
    "repeat_table",
    "show",
    "show_beside",
    "show_summary",
    "sweep_table",
]
