"""Reports of runs and experiments for people: tables and sentences.

A report decides how to present what ``results`` computed. It must never compute a score itself.
"""

from mabench.reports.formats import print_table
from mabench.reports.run_report import show
from mabench.reports.tables import Column, Table, tabulate

__all__ = ["Column", "Table", "print_table", "show", "tabulate"]
