"""Texts of others as a screen may have them: without what a terminal obeys."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable
from typing import Any, TextIO, cast

# C0 and C1 but for tab and line feed, marks that turn the direction of writing, separators that
# some terminals break lines at, invisible tags, and halves of characters, which UTF-8 cannot hold.
_UNFIT = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufff9-\ufffb"
    "\ud800-\udfff\U000e0000-\U000e007f]"
)

_RETURN = re.compile("\r\n?")


def printable(text: str) -> str:
    """Return ``text`` with ``\N{REPLACEMENT CHARACTER}`` in place of what is no text.

    That is: control characters but for tab and line feed, marks that reverse or isolate the
    direction of writing, and lone surrogates.
    """
    return _UNFIT.sub("\N{REPLACEMENT CHARACTER}", text)


def printable_json(text: str) -> str:
    """Return JSON with the same characters escaped: no value changes."""
    return _UNFIT.sub(_escape, text)


def clean_streams() -> None:
    """Let what is printed from now on, by agents and libraries, reach the screen as text alone."""
    sys.stdout = cast(TextIO, PrintableStream(sys.stdout))
    sys.stderr = cast(TextIO, PrintableStream(sys.stderr))


class PrintableStream:
    """A stream that is written to another one, printable, and closes no other."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    def write(self, text: str) -> int:
        """Write text; a return to the start of a line, as of progress bars, begins a new one."""
        self._stream.write(printable(_RETURN.sub("\n", text)))
        return len(text)

    def writelines(self, lines: Iterable[str]) -> None:
        """Write texts."""
        for line in lines:
            self.write(line)

    def isatty(self) -> bool:
        """Return False: nothing obeys what is written."""
        return False

    def close(self) -> None:
        """Do nothing: others write to the stream, too."""


def _escape(found: re.Match[str]) -> str:
    units = found[0].encode("utf-16-be", "surrogatepass").hex()
    return "".join(f"\\u{units[i : i + 4]}" for i in range(0, len(units), 4))
