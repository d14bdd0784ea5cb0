"""Prints results to standard output, and messages to standard error.

Texts of agents and data may hold control characters, which could change what a terminal shows. They
are printed as escapes.
"""

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

# The width in characters of output that is no terminal, such as a file.
_WIDTH_OF_FILES = 160
# Settings of rich, which must not read markup or emoji names, such as ``a:label:b``, in texts.
_PLAIN: Mapping[str, Any] = {"markup": False, "emoji": False, "highlight": False}


def output() -> Console:
    """Return the console for results.

    Its width is that of the terminal, or ``COLUMNS`` of the environment. Without both it is fixed,
    so that files do not depend on the machine.
    """
    console = _make_console(file=results_stream())
    has_width = console.is_terminal or os.environ.get("COLUMNS", "").isdigit()
    if has_width:
        return console
    return _make_console(file=results_stream(), width=_WIDTH_OF_FILES)


def print_tables(
    tables: Sequence[Table], content: object, layout: str, sentences: Iterable[str] = ()
) -> None:
    """Print tables and then sentences in a layout; in JSON, print ``content`` instead.

    Parameters that the sentences name are printed as options.
    """
    from mabench.reports.formats import show_reports
    from mabench.reports.report import Report

    with_options = [in_options(sentence) for sentence in sentences]
    if layout != "table":
        show_reports([Report("", tables, with_options)], lambda: content, layout, output())
        return
    show_reports([Report("", tables, [])], lambda: content, layout, output())
    for sentence in with_options:
        has_command = "mabench " in sentence
        # A command is to be pasted, so no line breaks are put into it.
        output().print(sentence, soft_wrap=has_command)


def print_report(report: Report, content: object, layout: str) -> None:
    """Print a report in a layout; in JSON, print ``content`` instead.

    Parameters that its sentences name are printed as options.
    """
    from mabench.reports.formats import show_reports

    with_options = report._replace(
        first=[in_options(sentence) for sentence in report.first],
        remarks=[in_options(sentence) for sentence in report.remarks],
        notes=[in_options(sentence) for sentence in report.notes],
    )
    show_reports([with_options], lambda: content, layout, output())


def print_next(*commands: str) -> None:
    """Print the commands that one may go on with, one below the other, to paste."""
    listed = "\n      ".join(commands)
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
    return _make_console(stderr=True, soft_wrap=True)


def _make_console(**settings: Any) -> Console:
    """Return a console of rich, with its settings, that prints control characters as escapes."""
    from rich.console import Console

    class SafeConsole(Console):
        """Makes the texts harmless that rich has cut into segments of one style."""

        def render(
            self, renderable: RenderableType, options: ConsoleOptions | None = None
        ) -> Iterator[Segment]:
            for segment in super().render(renderable, options):
                if segment.control:  # Rich's own control characters, such as to move the cursor.
                    yield segment
                else:
                    yield segment._replace(text=printable(segment.text))

    return SafeConsole(**_PLAIN, **settings)
