"""What the reply to a memory took, read while it is passed on."""

from __future__ import annotations

import json
import re
import zlib
from contextlib import suppress
from typing import Any

from mabench.metering.json_objects import parse_object
from mabench.models import Usage
from mabench.models.usage import find_texts

# Bytes of a reply that is read as a whole.
_WHOLE = 1024**2
# Bytes that are read at the start and at the end of a reply that is longer.
_PART = 64 * 1024
# In JSON a quotation mark within a text is escaped, so that this is the name of a field.
_USAGE = re.compile(r'(?<!\\)"usage"\s?:\s?(?=\{)')
_JSON = json.JSONDecoder()
_END = re.compile(rb"\r\n\r\n|\n\n|\r\r")
_LINE = re.compile(rb"\r\n|\n|\r")
# Likewise never part of a text.
_NO_USAGE = re.compile(rb',\s?"usage":\s?null')
# What ends a stream: of completions, and of the responses API.
_DONE = b"[DONE]"
_ENDS = ("response.completed", "response.incomplete")
# Bytes of an event; one that is longer is passed on unread.
_LONGEST = 16 * 1024**2


class StreamScan:
    """Reads a stream of server-sent events, which is passed on.

    The format: https://html.spec.whatwg.org/multipage/server-sent-events.html

    It ``hides_usage`` that was not asked for: the event with it alone, and ``"usage": null``.
    """

    def __init__(self, hides_usage: bool) -> None:
        self._hides = hides_usage
        self._usage: Usage | None = None
        self._text: list[str] = []
        self._ended = self._failed = False
        self._rest = b""

    def feed(self, content: bytes) -> bytes:
        """Return what is to be passed on of what has come, which may be nothing yet."""
        self._rest += content
        passed, start = [], 0
        for end in _END.finditer(self._rest):
            passed.append(self._read_event(self._rest[start : end.end()]))
            start = end.end()
        self._rest = self._rest[start:]
        if len(self._rest) > _LONGEST:
            passed.append(self.finish())
        return b"".join(passed) if self._hides else content

    def finish(self) -> bytes:
        """Return what has come since the last whole event; nothing where all was passed on."""
        rest, self._rest = self._rest, b""
        if rest:
            rest = self._read_event(rest)
        return rest if self._hides else b""

    def usage(self, asked: object) -> Usage | None:
        """Return what the call took, as far as the reply came; None if nobody can say.

        It is estimated if the reply is mute and the content that was ``asked`` takes tokens.
        """
        if self._usage or asked is None:
            return self._usage
        return Usage.estimate(asked, "".join(self._text))

    def is_whole(self, framed: bool = True) -> bool:
        """Return whether the end was seen, and no error."""
        return self._ended and not self._failed

    def _read_event(self, event: bytes) -> bytes:
        lines = _LINE.split(event)
        data = b"\n".join(line[5:].lstrip(b" ") for line in lines if line.startswith(b"data:"))
        self._ended = self._ended or data.strip() == _DONE
        content = parse_object(data)
        if content is None:
            return event
        kind, usage = content.get("type"), _usage_of(content)
        self._usage = usage or self._usage
        self._failed = self._failed or kind == "error" or content.get("error") is not None
        self._ended = self._ended or kind in _ENDS
        if not isinstance(kind, str):
            self._text += find_texts(content.get("choices"))
        elif kind.endswith(".delta") and isinstance(content.get("delta"), str):
            self._text.append(content["delta"])  # Of the responses API, this alone is new.
        if not self._hides:
            return event
        return b"" if usage and content.get("choices") == [] else _NO_USAGE.sub(b"", event)


class BodyScan:
    """Reads a reply in one piece, which is passed on as it came, with the encoding of its head."""

    def __init__(self, encoding: str = "") -> None:
        self._encoding = encoding
        self._start = bytearray()
        self._end = bytearray()

    def feed(self, content: bytes) -> bytes:
        """Return what is to be passed on of what has come: all."""
        room = _WHOLE - len(self._start)
        self._start += content[:room]
        self._end += content[room:] if room > 0 else content
        if len(self._end) > 2 * _WHOLE:
            del self._end[:-_PART]
        return content

    def finish(self) -> bytes:
        """Return nothing: all was passed on."""
        return b""

    def usage(self, asked: object) -> Usage | None:
        """Return what the call took, as that of a stream does."""
        content = None if self._end else self._content()
        usage = self._find_usage() if self._end else _usage_of(content)
        if usage or asked is None:
            return usage
        parts = [content.get("choices"), content.get("output")] if content else []
        return Usage.estimate(asked, "\n".join(find_texts(parts)))

    def is_whole(self, framed: bool = True) -> bool:
        """Return whether it is an object without an error, and ``framed`` by HTTP if it is long."""
        if self._end:
            return framed and self._start.lstrip()[:1] == b"{" and self._end.rstrip()[-1:] == b"}"
        content = self._content()
        return content is not None and content.get("error") is None

    def _content(self) -> dict[str, Any] | None:
        body = bytes(self._start)
        if self._encoding not in ("", "identity"):
            try:  # gzip or zlib, as its start says.
                body = zlib.decompressobj(wbits=47).decompress(body, 16 * _WHOLE)
            except zlib.error:
                return None
        return parse_object(body)

    def _find_usage(self) -> Usage | None:
        # In a long reply the counts are at the end or at the start.
        for part in (self._end[-_PART:], self._start[:_PART]):
            text = part.decode("utf-8", "replace")
            for match in reversed([*_USAGE.finditer(text)]):
                with suppress(ValueError, RecursionError):
                    if usage := _usage_of({"usage": _JSON.raw_decode(text, match.end())[0]}):
                        return usage
        return None


def _usage_of(content: object) -> Usage | None:
    try:
        return Usage.read(content)
    except ValueError:
        return None
