"""Printing results and messages, without anything that a terminal obeys."""

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

    from mabench.reports.tables import Table

# The width of what is not a terminal, in characters.
_NOT_A_TERMINAL = 160
# Nothing that is printed is markup, and `a:label:b` is no emoji.
_PLAIN: Mapping[str, Any] = {"markup": False, "emoji": False, "highlight": False}


def output() -> Console:
    """Return the console for results, with a fixed width unless a terminal or COLUMNS has one."""
    console = _console(file=results_stream())
    if console.is_terminal or os.environ.get("COLUMNS", "").isdigit():
        return console
    return _console(file=results_stream(), width=_NOT_A_TERMINAL)


def print_tables(
    tables: Sequence[Table], content: object, layout: str, sentences: Iterable[str] = ()
) -> None:
    """Print tables, then sentences of the library, in a layout; in JSON, print ``content``."""
    from mabench.reports.formats import show_reports
    from mabench.reports.report import Report

    said = [in_options(sentence) for sentence in sentences]
    in_lines = layout == "table"
    report = Report("", tables, [] if in_lines else said)
    show_reports([report], lambda: content, layout, output())
    if in_lines:
        for sentence in said:  # A command to paste must not be wrapped.
            output().print(sentence, soft_wrap="mabench " in sentence)


def print_written(out: Path, quiet: bool = False) -> None:
    """Say where something was written; if ``quiet``, print only the path, as a result."""
    if quiet:
        print_line(str(out))
    else:
        messages().print(f"written: {out}")


def write_page(file: Path, content: str) -> None:
    """Write a page or a plot, and say where it is; raises as ``write_file`` does."""
    size = len(content.encode("utf-8"))
    write_file(file, content)
    messages().print(f"written: {file} ({size / 1e6:.2f} MB)")


def print_line(line: str) -> None:
    """Print a line of a result."""
    print(printable(line), file=results_stream(), flush=True)


def messages() -> Console:
    """Return the console for progress and messages."""
    return _console(stderr=True, soft_wrap=True)


def _console(**settings: Any) -> Console:
    """Return a console that shows control characters in texts and does not obey them."""
    from rich.console import Console

    class Screen(Console):
        def render(
            self, renderable: RenderableType, options: ConsoleOptions | None = None
        ) -> Iterator[Segment]:
            for segment in super().render(renderable, options):
                fit = segment.text if segment.control else printable(segment.text)
                yield segment._replace(text=fit)

    return Screen(**_PLAIN, **settings)
