"""Reports of runs and experiments: tables and sentences.

Reports compute nothing that results lack.
"""

from mabench.reports.formats import print_table
from mabench.reports.run_report import show
from mabench.reports.tables import Column, Table, tabulate

__all__ = ["Column", "Table", "print_table", "show", "tabulate"]
