"""Prints reports in the format that the user chose."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from rich.console import Console

from mabench.errors import UsageError, unknown
from mabench.json_text import to_json
from mabench.printable import printable_json
from mabench.reports.formats.csv import format_csv
from mabench.reports.formats.latex import format_latex
from mabench.reports.formats.markdown import format_markdown
from mabench.reports.formats.terminal import print_report
from mabench.reports.report import Report
from mabench.reports.tables import Table

# What writes a report in a format; the layouts ``table`` and ``json`` are printed otherwise.
_WRITERS = {"markdown": format_markdown, "latex": format_latex, "csv": format_csv}
_LAYOUTS = ("table", *_WRITERS, "json")


def show_reports(
    reports: Iterable[Report],
    content: Callable[[], object],
    layout: str,
    console: Console,
    tidy: Callable[[], Table] | None = None,
) -> None:
    """Print reports, or their content as JSON.

    Args:
        reports: what is printed in all formats but JSON.
        content: returns what is printed as JSON.
        layout: ``table`` (on a terminal), ``markdown``, ``latex``, ``csv`` or ``json``.
        console: where to print.
        tidy: returns the one table that CSV has in place of the reports, for programs: a line for
            each figure, with the run, the source and whatever else the figure is of.

    Raises:
        UsageError: when the layout is unknown.
    """
    if layout not in _LAYOUTS:
        raise UsageError(unknown("unknown format", layout, _LAYOUTS), parameter="layout")
    if layout == "json":
        rounded = _round_floats(content())
        _print_unchanged(printable_json(to_json(rounded, indent=2)), console)
        return
    if layout == "csv" and tidy:
        printed: Iterable[Report] = [Report(tables=[tidy()])]
    else:
        printed = reports
    for report in printed:
        tables = [table.in_format(layout) for table in report.tables]
        report_in_format = report._replace(tables=tables)
        if layout == "table":
            print_report(report_in_format, console)
        else:
            text = _WRITERS[layout](report_in_format)
            if text:
                _print_unchanged(text, console)


def _print_unchanged(text: str, console: Console) -> None:
    """Print a text as it is: without colours, and without line breaks of the terminal's own."""
    console.print(text, markup=False, highlight=False, soft_wrap=True)


def _round_floats(content: object) -> object:
    """Return what goes into JSON with floats of 12 digits: 14.5 for 14.499999999999998."""
    if isinstance(content, float):
        return float(f"{content:.12g}")
    if isinstance(content, Mapping):
        return {name: _round_floats(part) for name, part in content.items()}
    if isinstance(content, list | tuple):
        return [_round_floats(part) for part in content]
    return content
