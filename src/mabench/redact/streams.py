"""Streams that remove secrets, or control characters, from what is written."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable
from typing import Any, TextIO, cast

from mabench.printable import printable
from mabench.redact.known import redact_values
from mabench.redact.texts import redact

_RETURN = re.compile("\r\n?")


def redact_streams() -> None:
    """Remove secrets from everything that this process prints from now on.

    Standard error also gets tracebacks, warnings and logs of libraries and agents. From standard
    output, which may carry data, only known values are removed.
    """
    is_done = isinstance(sys.stderr, _ChangedStream)
    if not is_done:
        sys.stdout = redact_stream(sys.stdout, redact_values)
        sys.stderr = redact_stream(sys.stderr)


def redact_stream(stream: TextIO, change: Callable[[str], str] = redact) -> TextIO:
    """Return a stream that removes secrets from texts and writes them to another stream."""
    return cast(TextIO, _ChangedStream(stream, change))


def clean_streams() -> None:
    """Remove control characters from everything that agents and libraries print from now on."""
    sys.stdout = cast(TextIO, _PrintableStream(sys.stdout))
    sys.stderr = cast(TextIO, _PrintableStream(sys.stderr))


class _ChangedStream:
    """A stream that changes texts and writes them to another stream."""

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
    """A stream that writes printable text only. It is no terminal, and closing it does nothing."""

    def __init__(self, stream: TextIO) -> None:
        # A carriage return, as in progress bars, becomes a new line.
        super().__init__(stream, lambda text: printable(_RETURN.sub("\n", text)))

    def isatty(self) -> bool:
        return False

    def close(self) -> None:
        pass
