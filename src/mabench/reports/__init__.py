"""Reports: what a run's figures look like on a screen, in Markdown and in JSON."""

from mabench.reports.formats import print_table
from mabench.reports.run_report import show
from mabench.reports.tables import Column, Table, tabulate

__all__ = ["Column", "Table", "print_table", "show", "tabulate"]
