"""Reading what a reply took while it is passed on, however long it is."""

from __future__ import annotations

import json
import re
import zlib
from contextlib import suppress
from typing import Any, Protocol

from mabench.metering.asking import Asking
from mabench.metering.streams import EventStream
from mabench.metering.usage import Usage, counted, estimated, parsed, texts

_WHOLE = 1024**2  # Bytes of a reply that is read as a whole.
_PART = 64 * 1024  # Bytes of the start and the end of a longer one.
# In JSON a quotation mark within a text is escaped, so that this is the name of a field.
_USAGE = re.compile(r'(?<!\\)"usage"\s?:\s?(?=\{)')
_JSON = json.JSONDecoder()


class Reading(Protocol):
    """Reads a reply that is passed on."""

    def feed(self, content: bytes) -> bytes:
        """Return what is to be passed on of what has come."""

    def rest(self) -> bytes:
        """Return what is left to be passed on at the end."""

    def usage(self, asking: Asking) -> Usage | None:
        """Return what the call took, as far as the reply came; None where nobody can say."""

    def complete(self, framed: bool) -> bool:
        """Whether the reply is whole and no error; ``framed``: whether HTTP told its end."""


class StreamReading:
    """Reads a stream of events."""

    def __init__(self, hides_usage: bool) -> None:
        self._events = EventStream(hides_usage)
        self.feed, self.rest = self._events.feed, self._events.rest

    def usage(self, asking: Asking) -> Usage | None:
        """Return what the call took."""
        usage = self._events.usage
        if usage or not asking.takes_tokens:
            return usage
        return estimated(asking.content, "".join(self._events.text))

    def complete(self, framed: bool) -> bool:
        """Whether the end was seen, and no error."""
        return self._events.complete


class BodyReading:
    """Reads a reply in one piece, which passes as it came.

    Args:
        encoding: how it is compressed although it was not to be; empty for not at all.
    """

    def __init__(self, encoding: str = "") -> None:
        self._encoding = encoding
        self._start = bytearray()
        self._end = bytearray()

    def feed(self, content: bytes) -> bytes:
        """Return what is to be passed on of what has come."""
        room = _WHOLE - len(self._start)
        self._start += content[:room]
        self._end += content[room:] if room > 0 else content
        if len(self._end) > 2 * _WHOLE:
            del self._end[:-_PART]
        return content

    def rest(self) -> bytes:
        """Return nothing: all was passed on."""
        return b""

    def usage(self, asking: Asking) -> Usage | None:
        """Return what the call took."""
        if self._end:
            usage = self._of_parts()
            return usage or (estimated(asking.content, "") if asking.takes_tokens else None)
        content = self._content()
        usage = counted(content)
        if usage or not asking.takes_tokens:
            return usage
        parts = [content.get("choices"), content.get("output")] if isinstance(content, dict) else []
        return estimated(asking.content, "\n".join(texts(parts)))

    def complete(self, framed: bool) -> bool:
        """Whether it is an object without an error; of a long one, whether it looks like one."""
        if self._end:
            return framed and self._start.lstrip()[:1] == b"{" and self._end.rstrip()[-1:] == b"}"
        content = self._content()
        return isinstance(content, dict) and content.get("error") is None

    def _content(self) -> Any:
        return parsed(_plain(bytes(self._start), self._encoding))

    def _of_parts(self) -> Usage | None:
        """Look for the counts at the end and at the start of a long reply, where they stand."""
        for part in (self._end[-_PART:], self._start[:_PART]):
            shown = part.decode("utf-8", "replace")
            for found in reversed([*_USAGE.finditer(shown)]):
                with suppress(ValueError, RecursionError):
                    if usage := counted({"usage": _JSON.raw_decode(shown, found.end())[0]}):
                        return usage
        return None


def _plain(body: bytes, encoding: str) -> bytes:
    """Return a body that may be compressed; nothing where we cannot read it."""
    if not encoding or encoding == "identity":
        return body
    try:
        reader = zlib.decompressobj(wbits=47)  # gzip or zlib, as its start says.
        return reader.decompress(body, 16 * _WHOLE)
    except zlib.error:
        return b""
