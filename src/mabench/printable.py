"""Texts as a screen may have them: those of others without what a terminal obeys, and counts."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable
from typing import Any, TextIO, cast

# C0 and C1 but for tab and line feed, marks that turn the direction of writing, separators that
# some terminals break lines at, invisible tags, and halves of characters, which UTF-8 cannot hold.
_UNFIT = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufff9-\ufffb"
    "\ud800-\udfff\U000e0000-\U000e007f]"
)

_RETURN = re.compile("\r\n?")


def printable(text: str) -> str:
    """Return ``text`` with ``\N{REPLACEMENT CHARACTER}`` in place of what no terminal may have."""
    return _UNFIT.sub("\N{REPLACEMENT CHARACTER}", text)


def printable_json(text: str) -> str:
    """Return JSON with the same characters escaped: no value changes."""

    def escape(match: re.Match[str]) -> str:
        units = match[0].encode("utf-16-be", "surrogatepass").hex()
        return "".join(f"\\u{units[i : i + 4]}" for i in range(0, len(units), 4))

    return _UNFIT.sub(escape, text)


def write_count(number: int, noun: str) -> str:
    """Return a number with what it counts: ``1 history``, ``2,000 histories``."""
    plural = f"{noun[:-1]}ies" if noun.endswith("y") else f"{noun}s"
    return f"{number:,} {noun if number == 1 else plural}"


def clean_streams() -> None:
    """Let what is printed from now on, by agents and libraries, reach the screen as text alone."""
    sys.stdout = cast(TextIO, _PrintableStream(sys.stdout))
    sys.stderr = cast(TextIO, _PrintableStream(sys.stderr))


class ChangedStream:
    """A stream that is written to another one, changed."""

    def __init__(self, stream: TextIO, change: Callable[[str], str]) -> None:
        self._stream = stream
        self._change = change

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    def write(self, text: str) -> int:
        """Write text."""
        self._stream.write(self._change(text))
        return len(text)

    def writelines(self, lines: Iterable[str]) -> None:
        """Write texts."""
        for line in lines:
            self.write(line)


class _PrintableStream(ChangedStream):
    """No terminal, since nothing obeys what is written; others write to the stream, too."""

    def __init__(self, stream: TextIO) -> None:
        # A return to the start of a line, as of progress bars, begins a new one.
        super().__init__(stream, lambda text: printable(_RETURN.sub("\n", text)))

    def isatty(self) -> bool:
        return False

    def close(self) -> None:
        pass
