"""Prints reports on a terminal, in Markdown, LaTeX, CSV or JSON.

A format decides how the content of a report is written; it never changes the content.
"""

from typing import TYPE_CHECKING

from mabench.facades import load_when_used

if TYPE_CHECKING:
    from mabench.reports.formats.show import show_reports as show_reports
    from mabench.reports.formats.terminal import print_table as print_table
else:
    __getattr__, __dir__, __all__ = load_when_used(__name__, __file__)
