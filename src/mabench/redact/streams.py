"""Streams without secrets, and without what a terminal obeys."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable
from typing import Any, TextIO, cast

from mabench.printable import printable
from mabench.redact.texts import redact, redact_values

_RETURN = re.compile("\r\n?")


def redact_streams() -> None:
    """Let standard output and error take secrets out of what this process prints from now on.

    Tracebacks, warnings and logs of libraries and agents come to standard error, too. Of standard
    output, which may carry data, only known values are taken out.
    """
    if not isinstance(sys.stderr, _ChangedStream):
        sys.stdout = redact_stream(sys.stdout, redact_values)
        sys.stderr = redact_stream(sys.stderr)


def redact_stream(stream: TextIO, change: Callable[[str], str] = redact) -> TextIO:
    """Return a stream that takes secrets out of what is written to it, and writes to another."""
    return cast(TextIO, _ChangedStream(stream, change))


def clean_streams() -> None:
    """Let what is printed from now on, by agents and libraries, reach the screen as text alone."""
    sys.stdout = cast(TextIO, _PrintableStream(sys.stdout))
    sys.stderr = cast(TextIO, _PrintableStream(sys.stderr))


class _ChangedStream:
    """A stream that is written to another one, changed."""

    def __init__(self, stream: TextIO, change: Callable[[str], str]) -> None:
        self._stream = stream
        self._change = change

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    def write(self, text: str) -> int:
        self._stream.write(self._change(text))
        return len(text)

    def writelines(self, lines: Iterable[str]) -> None:
        for line in lines:
            self.write(line)


class _PrintableStream(_ChangedStream):
    """No terminal, since nothing obeys what is written; others write to the stream, too."""

    def __init__(self, stream: TextIO) -> None:
        # A return to the start of a line, as of progress bars, begins a new one.
        super().__init__(stream, lambda text: printable(_RETURN.sub("\n", text)))

    def isatty(self) -> bool:
        return False

    def close(self) -> None:
        pass
