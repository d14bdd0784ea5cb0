"""Prints results and messages; control characters in texts never reach a terminal."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mabench.cli.console.option_names import in_options
from mabench.cli.console.streams import results_stream
from mabench.outfile import write_file
from mabench.printable import printable

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderableType
    from rich.segment import Segment

    from mabench.reports.report import Report
    from mabench.reports.tables import Table

# The width in characters of output that is no terminal.
_NOT_A_TERMINAL = 160
# rich must not read markup or emoji names, such as ``a:label:b``, in what is printed.
_PLAIN: Mapping[str, Any] = {"markup": False, "emoji": False, "highlight": False}


def output() -> Console:
    """Return the console for results; without a terminal or ``COLUMNS`` it has a fixed width."""
    console = _console(file=results_stream())
    if console.is_terminal or os.environ.get("COLUMNS", "").isdigit():
        return console
    return _console(file=results_stream(), width=_NOT_A_TERMINAL)


def print_tables(
    tables: Sequence[Table], content: object, layout: str, sentences: Iterable[str] = ()
) -> None:
    """Print tables and then sentences in a layout; in JSON, print ``content`` instead."""
    from mabench.reports.formats import show_reports
    from mabench.reports.report import Report

    said = [in_options(sentence) for sentence in sentences]
    on_terminal = layout == "table"
    report = Report("", tables, [] if on_terminal else said)
    show_reports([report], lambda: content, layout, output())
    if on_terminal:
        for sentence in said:
            is_command = "mabench " in sentence
            output().print(sentence, soft_wrap=is_command)  # A command to paste is not wrapped.


def print_report(report: Report, content: object, layout: str) -> None:
    """Print a report in a layout, with options for the settings that it names; or the content."""
    from mabench.reports.formats import show_reports

    first, remarks, notes = (
        [*map(in_options, sentences)] for sentences in (report.first, report.remarks, report.notes)
    )
    named = report._replace(first=first, remarks=remarks, notes=notes)
    show_reports([named], lambda: content, layout, output())


def print_next(*lines: str) -> None:
    """Print the commands that one may go on with, to paste."""
    listed = "\n      ".join(lines)
    messages().print(f"Next: {listed}")


def print_written(out: Path, quiet: bool = False) -> None:
    """Print a message where something was written; if ``quiet``, only the path, as a result."""
    if quiet:
        print_line(str(out))
    else:
        messages().print(f"written: {out}")


def write_page(file: Path, content: str, quiet: bool = False) -> None:
    """Write a page or a plot, and print where it is; if ``quiet``, only the path, as a result.

    Raises:
        UsageError: when the file cannot be written.
    """
    size = len(content.encode("utf-8"))
    write_file(file, content)
    if quiet:
        print_line(str(file))
    else:
        messages().print(f"written: {file} ({size / 1e6:.2f} MB)")


def print_line(line: str) -> None:
    """Print a line as a result."""
    print(printable(line), file=results_stream(), flush=True)


def messages() -> Console:
    """Return the console for progress and messages."""
    return _console(stderr=True, soft_wrap=True)


def _console(**settings: Any) -> Console:
    """Return a console that prints control characters in texts as escapes."""
    from rich.console import Console

    class SafeConsole(Console):
        def render(
            self, renderable: RenderableType, options: ConsoleOptions | None = None
        ) -> Iterator[Segment]:
            for segment in super().render(renderable, options):
                if segment.control:  # Rich's own, such as for colors.
                    yield segment
                else:
                    yield segment._replace(text=printable(segment.text))

    return SafeConsole(**_PLAIN, **settings)
