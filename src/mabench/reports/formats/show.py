"""Prints reports in the format that the user chose."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial

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
        layout: ``table``, ``markdown``, ``latex``, ``csv`` or ``json``.
        console: where to print.
        tidy: returns the one table that CSV has in place of the reports: a line for each value,
            which names all that the value belongs to.

    Raises:
        UsageError: when the layout is unknown.
    """
    if layout not in _LAYOUTS:
        raise UsageError(unknown("unknown format", layout, _LAYOUTS), parameter="layout")
    plain = partial(console.print, markup=False, highlight=False, soft_wrap=True)
    if layout == "json":
        plain(printable_json(to_json(_round(content()), indent=2)))
        return
    if layout == "csv" and tidy:
        reports = [Report(tables=[tidy()])]
    for report in reports:
        shown = report._replace(tables=[table.in_format(layout) for table in report.tables])
        if layout == "table":
            print_report(shown, console)
        else:
            text = _WRITERS[layout](shown)
            if text:
                plain(text)


def _round(value: object) -> object:
    """Round the floats in JSON to 12 digits, so that 14.499999999999998 becomes 14.5."""
    if isinstance(value, float):
        return float(f"{value:.12g}")
    if isinstance(value, Mapping):
        return {name: _round(part) for name, part in value.items()}
    if isinstance(value, list | tuple):
        return [_round(part) for part in value]
    return value
