"""Refuses JSON that is nested too deeply, while it is read: it would choke any parser."""

from __future__ import annotations

import re
from typing import BinaryIO

_DEEPEST = 1_000
_NO_BRACKETS = bytes(set(range(256)) - set(b"[]{}"))
# A text from behind its opening quote to its closing one.
_TO_CLOSING_QUOTE = re.compile(rb'[^"\\]*(?:\\.[^"\\]*)*"', re.DOTALL)
_WHOLE_TEXT = re.compile(rb'"' + _TO_CLOSING_QUOTE.pattern, re.DOTALL)


class NestingError(ValueError):
    """A file is nested more deeply than any export."""


class NestingGuard:
    """A stream of JSON as a parser reads it; brackets within texts do not count."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self._depth = 0
        self._in_text = self._is_escaped = False

    def read(self, size: int = -1) -> bytes:
        """Return the next bytes; raises ``NestingError`` where they nest too deeply."""
        content = self._stream.read(size)
        self._count(self._outside_texts(content))
        return content

    def _outside_texts(self, content: bytes) -> bytes:
        """Return what is no text; a text may go on from the last bytes, or into the next ones."""
        if self._in_text:
            start = 1 if self._is_escaped else 0  # An escaped character is no closing quote.
            closing = _TO_CLOSING_QUOTE.match(content, start)
            if closing is None:
                self._note_end(content, start)
                return b""
            content = content[closing.end() :]
        outside, opening, begun = _WHOLE_TEXT.sub(b"", content).partition(b'"')
        self._in_text = bool(opening)
        self._note_end(begun)
        return outside

    def _note_end(self, text: bytes, start: int = 0) -> None:
        """Remember whether ``text``, from ``start``, ends with a backslash that escapes.

        Each backslash that is escaped itself takes another one before it.
        """
        text = text[start:]
        backslashes = len(text) - len(text.rstrip(b"\\"))
        self._is_escaped = backslashes % 2 == 1

    def _count(self, outside: bytes) -> None:
        """Change the depth by the brackets; raise ``NestingError`` beyond the limit."""
        brackets = outside.translate(None, _NO_BRACKETS)
        opened = brackets.count(b"[") + brackets.count(b"{")
        closed = len(brackets) - opened
        if self._depth + opened <= _DEEPEST:  # Too few to come too deep, whatever their order.
            self._depth += opened - closed
            return
        for bracket in brackets:
            self._depth += 1 if bracket in b"[{" else -1
            if self._depth > _DEEPEST:
                raise NestingError(f"nested deeper than {_DEEPEST:,} levels")
