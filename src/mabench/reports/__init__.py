"""Reports of runs and experiments for people: tables and sentences.

A report decides how to present what ``results`` computed. It must never compute a score itself.
"""

from typing import TYPE_CHECKING

from mabench.facades import load_when_used

if TYPE_CHECKING:
    from mabench.reports.formats import print_table as print_table
    from mabench.reports.run_report import show as show
    from mabench.reports.tables import Column as Column
    from mabench.reports.tables import Table as Table
    from mabench.reports.tables import tabulate as tabulate
else:
    __getattr__, __dir__, __all__ = load_when_used(__name__, __file__)
