"""Where commands print: results to standard output, everything else to standard error."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, TextIO

from mabench.cli.commands import in_options
from mabench.printable import printable
from mabench.redact import redact_stream, redact_values

if TYPE_CHECKING:
    from pathlib import Path

    from rich.console import Console, ConsoleOptions, ConsoleRenderable
    from rich.segment import Segment

    from mabench.reports.tables import Table

_NOT_A_TERMINAL = 160
# What is printed is never markup, and the middle of a:label:b no picture.
_PLAIN: Mapping[str, Any] = {"markup": False, "emoji": False, "highlight": False}

# Where results go while a command runs; standard output where it is None.
_results: TextIO | None = None


@contextmanager
def results_alone() -> Iterator[None]:
    """Print results to standard output, and whatever else is printed there to standard error.

    Agents and libraries may print in any thread, from C or in other processes, also after the
    command has ended: they are not given standard output back.
    """
    global _results
    standard = sys.stdout
    try:
        shared = standard.fileno() != 1
    except (AttributeError, OSError):
        shared = True
    if shared:  # It is read in this process, or there is none.
        _results, sys.stdout = standard, sys.stderr
        try:
            yield
        finally:
            _results, sys.stdout = None, standard
        return
    standard.flush()
    own = os.fdopen(os.dup(1), "w", encoding=standard.encoding, errors="backslashreplace")
    os.dup2(2, 1)
    _results, sys.stdout = redact_stream(own, redact_values), redact_stream(standard)
    try:
        yield
    finally:
        _results = None
        with suppress(BrokenPipeError):
            own.close()


def output() -> Console:
    """Return the console for results, of fixed width but for a terminal or with COLUMNS set."""
    console = _console(file=_results)
    if console.is_terminal or os.environ.get("COLUMNS", "").isdigit():
        return console
    return _console(file=_results, width=_NOT_A_TERMINAL)


def print_tables(
    tables: Sequence[Table], content: object, layout: str, sentences: Iterable[str] = ()
) -> None:
    """Print tables, then sentences of the library, in a layout; as JSON ``content`` instead."""
    from mabench.reports.layout import Report, show_reports

    said = [in_options(sentence) for sentence in sentences]
    in_lines = layout == "table"
    report = Report("", tables, [] if in_lines else said)
    show_reports([report], lambda: content, layout, output())
    if in_lines:
        for sentence in said:  # A command to paste stays in one line.
            output().print(sentence, soft_wrap="mabench " in sentence)


def print_written(out: Path, quiet: bool = False) -> None:
    """Say where something was written: in words, or where ``quiet`` as the result itself."""
    if quiet:
        print_line(str(out))
    else:
        messages().print(f"written: {out}")


def print_line(line: str) -> None:
    """Print a line of a result, without what a terminal obeys."""
    print(printable(line), file=_results, flush=True)


def messages() -> Console:
    """Return the console for progress and messages."""
    return _console(stderr=True, soft_wrap=True)


def _console(**settings: Any) -> Console:
    """Return a console that shows names and texts of others and does not obey them."""
    from rich.console import Console, RenderHook

    class Printable(RenderHook):
        def process_renderables(
            self, renderables: list[ConsoleRenderable]
        ) -> list[ConsoleRenderable]:
            return [_Printable(each) for each in renderables]

    console = Console(**_PLAIN, **settings)
    console.push_render_hook(Printable())
    return console


class _Printable:
    """What is to be printed, without what a terminal obeys but rich's own codes."""

    def __init__(self, renderable: ConsoleRenderable) -> None:
        self._renderable = renderable

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[Segment]:
        for segment in console.render(self._renderable, options):
            fit = segment.text if segment.control else printable(segment.text)
            yield segment._replace(text=fit)
