"""Prints reports on a terminal, in Markdown, LaTeX, CSV or JSON.

A format decides how something is written, never what.
"""

from mabench.reports.formats.show import show_reports as show_reports
from mabench.reports.formats.terminal import print_table as print_table
