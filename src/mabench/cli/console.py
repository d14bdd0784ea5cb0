"""Where commands print, results to standard output and all else to standard error, and how.

How far work is, is shown by bars on a terminal, by lines of text elsewhere. What the library says
of parameters is said of options; and the command that was given, how to give it again.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from shutil import which
from typing import TYPE_CHECKING, Any, Self, TextIO

import typer

from mabench.outfile import write_file
from mabench.pasteable import operand, quote_word, write_command
from mabench.printable import printable
from mabench.redact import clean_streams, redact_command, redact_stream, redact_values
from mabench.settings import list_options
from mabench.specs import JudgeSpec, RaceSpec, RunSpec, StressSpec, SweepSpec

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderableType
    from rich.progress import Task, TaskID
    from rich.segment import Segment

    from mabench.reports.tables import Table

_NOT_A_TERMINAL = 160
# What is printed is never markup, and the middle of a:label:b no picture.
_PLAIN: Mapping[str, Any] = {"markup": False, "emoji": False, "highlight": False}

# Parameters of what is no setting of a run.
_OPTIONS = {
    "knobs": "--knob",
    "material": "--from",
    "layout": "--format",
    "as_json": "--format json",
}
_SAME = (
    "baseline beside column common difference estimate folder like plot repeat score timeout to "
    "verified"
)
_OPTIONS |= {name: f"--{name}" for name in _SAME.split()}
for _part in (SweepSpec, RaceSpec, StressSpec, JudgeSpec, RunSpec):
    for _name, _field in list_options(_part).items():
        if _field.setting and _field.setting.group:  # Else it is an argument.
            _names = {_field.parameter} | ({_name} if "." in _field.parameter else set())
            _OPTIONS.update(dict.fromkeys(_names, f"--{_name.replace('_', '-')}"))
_NAMED = re.compile(r"`([a-z_]+(?:\.[a-z_]+)?)`")

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
    from mabench.reports.formats import show_reports
    from mabench.reports.report import Report

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


def write_page(file: Path, content: str) -> None:
    """Write a page or a plot, and say where it is; raises as ``write_file`` does."""
    size = len(content.encode("utf-8"))
    write_file(file, content)
    messages().print(f"written: {file} ({size / 1e6:.2f} MB)")


def print_line(line: str) -> None:
    """Print a line of a result, without what a terminal obeys."""
    print(printable(line), file=_results, flush=True)


def messages() -> Console:
    """Return the console for progress and messages."""
    return _console(stderr=True, soft_wrap=True)


def _console(**settings: Any) -> Console:
    """Return a console that shows names and texts of others and does not obey them."""
    from rich.console import Console

    class Screen(Console):
        def render(
            self, renderable: RenderableType, options: ConsoleOptions | None = None
        ) -> Iterator[Segment]:
            for segment in super().render(renderable, options):
                fit = segment.text if segment.control else printable(segment.text)
                yield segment._replace(text=fit)

    return Screen(**_PLAIN, **settings)


class ProgressBars:
    """Shows on standard error how far work is, with a bar for each kind of it.

    Meanwhile what agents print is cleaned of what a terminal obeys. When ``quiet``, only failures
    are shown. ``stopped`` makes of an interrupt what to say when a signal stops the work, after
    which the command exits.
    """

    def __init__(self, quiet: bool = False, stopped: Callable[[Any], str] | None = None) -> None:
        from rich import progress as bars
        from rich.text import Text

        class Rate(bars.ProgressColumn):
            def render(self, task: Task) -> Text:
                return Text(f"{task.speed:,.{task.speed < 10:d}f}/s" if task.speed else "")

        self._quiet = quiet
        self._stopped = stopped
        self._console = messages()
        self._console.file = self._console.file  # Of now, whatever agents do to sys.stderr.
        self._bars = bars.Progress(
            bars.TextColumn("{task.description}", markup=False),
            bars.BarColumn(),
            bars.MofNCompleteColumn(),
            Rate(),
            bars.TimeElapsedColumn(),
            bars.TimeRemainingColumn(compact=True),
            bars.TextColumn("{task.fields[note]}", markup=False),
            console=self._console,
            transient=True,
            disable=quiet or not self._console.is_terminal,
        )
        self._tasks: dict[str, TaskID] = {}

    def __enter__(self) -> Self:
        self._bars.start()
        self._streams = sys.stdout, sys.stderr  # An agent may replace or close them.
        clean_streams()
        return self

    def __exit__(self, kind: object, error: BaseException | None, traceback: object) -> None:
        sys.stdout, sys.stderr = self._streams
        self._bars.stop()
        number = getattr(error, "number", None)
        if self._stopped and isinstance(error, KeyboardInterrupt) and number is not None:
            self.say(self._stopped(error))
            raise typer.Exit(128 + number) from None

    def start(
        self, work: str, total: int | None, done: int = 0, title: str = "", note: str = ""
    ) -> None:
        """Show a bar, or reset that of the same work; where there are none, say the note."""
        name, note = printable(title or work), printable(note)
        if work in self._tasks:
            self._bars.reset(self._tasks[work], total=total, completed=done, description=name)
        else:
            self._tasks[work] = self._bars.add_task(name, total=total, completed=done, note="")
        if note and not (self._quiet or self._console.is_terminal):
            amount = "" if total is None else f"{total} {work if total != 1 else work[:-1]}, "
            self.say(f"{name}: {amount}{note}")

    def advance(self, work: str, note: str = "") -> None:
        """Move the bar of ``work``; a note replaces the one beside it."""
        if note:
            self._bars.update(self._tasks[work], note=printable(note))
        self._bars.advance(self._tasks[work])

    def note(self, work: str, note: str) -> None:
        """Show a note beside the bar of ``work``; where there are no bars, say it."""
        if work in self._tasks:
            self._bars.update(self._tasks[work], note=note)
        if not (self._quiet or self._console.is_terminal):
            self.say(note)

    def say(self, line: str) -> None:
        """Print a line beside the bars."""
        self._console.print(line)


def command_line(*words: object) -> str:
    """Return a command of this program, called by its name, or in this shell by the path given."""
    return write_command(*words, program=_program())


def _program() -> str:
    given = sys.argv[0]
    by_path = Path(given).name == "mabench" and not which("mabench")
    return given if by_path else "mabench"


def in_options(text: str, parameter: str | None = None) -> str:
    """Return ``text`` with parameters in backquotes as options, led by that of ``parameter``."""
    text = _NAMED.sub(lambda match: _OPTIONS.get(match[1], match[0]), text)
    option = _OPTIONS.get(parameter or "")
    return f"{option}: {text}" if option and option not in text else text


def again(*more: str, without: str = "", **values: object) -> str:
    """Return the command line that was given, with ``more`` options that it lacks.

    Secrets are left out of it. ``values`` stand in the place of what options of these names have;
    ``...`` keeps what one has, None leaves it out. So is the flag ``without``, and ``--fresh``
    always, which would set aside what there is again.
    """
    words = [word for word in sys.argv[1:] if word not in ("--fresh", without)]
    for name, value in values.items():
        if value is ...:
            continue
        option = f"--{name.replace('_', '-')}"
        words = [  # Without the option, whose value follows it or stands behind a "=".
            word
            for before, word in zip(["", *words], words, strict=False)
            if option not in (before, word) and not word.startswith(f"{option}=")
        ]
        words += [] if value is None else [option, operand(value)]
    words += [word for word in more if word not in words]
    line, safe = command_line(*words), redact_command([_program(), *words])
    return safe if safe == line else f"{safe} (put your own in the place of [secret])"


def to_resume(
    max_cost: float | None = None, spent: float = 0, out: Path | None = None, verb: str = "resume"
) -> str:
    """Return how to resume what stopped; with as much money once more where it reached a limit."""
    if max_cost is None:
        return f"To {verb}: {again(out=out or ...)}"
    limit = max(max_cost, spent) + max_cost
    return f"To {verb} with a higher limit: {again(out=out or ..., max_cost=f'{limit:g}')}"


def after_a_miss(folder: Path, out: Path | None = None, cache: bool = True) -> str:
    """Return how to resume what lacks a reply in ``folder``; ``cache``: kept with ``--cache``."""
    asking = again(*["--cache"] * cache, out=out or ..., replay=None)
    return (
        f"To resume, once the reply is kept there: {again(out=out or ...)}\n"
        f"To ask the server for what is not kept, and keep it there: "
        f"MABENCH_CACHE={quote_word(folder)} {asking}"
    )
