"""Reads the token counts of a reply while it is passed on to a memory."""

from __future__ import annotations

import json
import re
import zlib
from contextlib import suppress
from typing import Any

from mabench.metering.json_objects import parse_object
from mabench.models import Usage
from mabench.models.usage import find_texts

# Bytes up to which a reply is parsed as a whole.
_WHOLE_BYTES = 1024**2
# Bytes at the start and at the end of a longer reply in which the counts are looked for.
_SEARCHED_BYTES = 64 * 1024
# In JSON, quotation marks within a text are escaped, so this matches only the name of a field.
_USAGE = re.compile(r'(?<!\\)"usage"\s?:\s?(?=\{)')
_JSON = json.JSONDecoder()
# zlib's ``wbits`` for data that may have the header of gzip or of zlib.
_GZIP_OR_ZLIB = 47
# Bytes to which a compressed reply is unpacked.
_LONGEST_UNPACKED = 16 * _WHOLE_BYTES
# The ends of an event, and of a line in it.
_EVENT_END = re.compile(rb"\r\n\r\n|\n\n|\r\r")
_LINE_END = re.compile(rb"\r\n|\n|\r")
# Likewise, this never matches a part of a text.
_NULL_USAGE = re.compile(rb',\s?"usage":\s?null')
# What ends a stream of completions, and one of the responses API.
_DONE = b"[DONE]"
_LAST_EVENTS = ("response.completed", "response.incomplete")
# Bytes of an event; a longer one is passed on in parts that are not parsed.
_LONGEST_EVENT = 16 * 1024**2


class StreamScan:
    """Reads a stream of server-sent events while it is passed on.

    The format: https://html.spec.whatwg.org/multipage/server-sent-events.html

    With ``hides_usage`` it removes token counts that the memory did not ask for: the event that
    holds only them, and ``"usage": null`` elsewhere.
    """

    def __init__(self, hides_usage: bool) -> None:
        self._hides = hides_usage
        self._usage: Usage | None = None
        self._text: list[str] = []
        self._ended = self._failed = False
        self._rest = b""

    def feed(self, content: bytes) -> bytes:
        """Take a piece of the reply; return the bytes to pass on, perhaps none yet."""
        self._rest += content
        passed = []
        start = 0
        for match in _EVENT_END.finditer(self._rest):
            passed.append(self._read_event(self._rest[start : match.end()]))
            start = match.end()
        self._rest = self._rest[start:]
        if len(self._rest) > _LONGEST_EVENT:
            passed.append(self.finish())
        return b"".join(passed) if self._hides else content

    def finish(self) -> bytes:
        """Read what follows the last complete event; return it if it was not passed on yet."""
        rest, self._rest = self._rest, b""
        if rest:
            rest = self._read_event(rest)
        # Where nothing is removed, each piece was passed on at once.
        return rest if self._hides else b""

    def usage(self, asked: object) -> Usage | None:
        """Return the token counts in the reply so far; None if there are none.

        If the reply has no counts and ``asked``, the body of a call that takes tokens, is given,
        they are estimated.
        """
        if self._usage or asked is None:
            return self._usage
        return Usage.estimate(asked, "".join(self._text))

    def is_whole(self, framed: bool = True) -> bool:
        """Return whether the stream has ended without an error."""
        return self._ended and not self._failed

    def _read_event(self, event: bytes) -> bytes:
        """Note counts, texts, errors and the end in an event; return the bytes to pass on."""
        data = _data_of(event)
        if data.strip() == _DONE:
            self._ended = True
        content = parse_object(data)
        if content is None:
            return event
        kind = content.get("type")
        if kind == "error" or content.get("error") is not None:
            self._failed = True
        if kind in _LAST_EVENTS:
            self._ended = True
        if not isinstance(kind, str):
            self._text += find_texts(content.get("choices"))
        elif kind.endswith(".delta") and isinstance(content.get("delta"), str):
            self._text.append(content["delta"])  # Of the responses API, this alone is new.
        usage = _usage_of(content)
        if usage:
            self._usage = usage
        if not self._hides:
            return event
        holds_only_usage = usage and content.get("choices") == []
        return b"" if holds_only_usage else _NULL_USAGE.sub(b"", event)


class BodyScan:
    """Reads a reply that is no stream; ``encoding`` is its ``Content-Encoding``."""

    def __init__(self, encoding: str = "") -> None:
        self._encoding = encoding
        self._start = bytearray()
        self._end = bytearray()

    def feed(self, content: bytes) -> bytes:
        """Take a piece of the reply; return the bytes to pass on: all of them.

        The first ``_WHOLE_BYTES`` are held, and at least the last ``_SEARCHED_BYTES`` beyond them.
        """
        room = _WHOLE_BYTES - len(self._start)
        self._start += content[:room]
        self._end += content[room:]
        if len(self._end) > 2 * _WHOLE_BYTES:  # Not each time: it moves what is kept.
            del self._end[:-_SEARCHED_BYTES]
        return content

    def finish(self) -> bytes:
        """Return nothing: all was passed on."""
        return b""

    def usage(self, asked: object) -> Usage | None:
        """Return the token counts in the reply, as ``StreamScan.usage`` does."""
        content = None
        if self._end:
            usage = self._find_usage()
        else:
            content = self._content()
            usage = _usage_of(content)
        if usage or asked is None:
            return usage
        parts = [content.get("choices"), content.get("output")] if content else []
        return Usage.estimate(asked, "\n".join(find_texts(parts)))

    def is_whole(self, framed: bool = True) -> bool:
        """Return whether the reply is a complete JSON object without an error.

        A long one is not parsed; it must be ``framed``: HTTP must have said where it ends.
        """
        if self._end:
            return framed and self._start.lstrip()[:1] == b"{" and self._end.rstrip()[-1:] == b"}"
        content = self._content()
        return content is not None and content.get("error") is None

    def _content(self) -> dict[str, Any] | None:
        """Return the parsed reply; None if it is no JSON object."""
        body = bytes(self._start)
        if self._encoding not in ("", "identity"):
            try:
                body = zlib.decompressobj(_GZIP_OR_ZLIB).decompress(body, _LONGEST_UNPACKED)
            except zlib.error:
                return None
        return parse_object(body)

    def _find_usage(self) -> Usage | None:
        """Return the counts at the end or at the start of a long reply; None without any."""
        for part in (self._end[-_SEARCHED_BYTES:], self._start[:_SEARCHED_BYTES]):
            text = part.decode("utf-8", "replace")
            for match in reversed([*_USAGE.finditer(text)]):  # The last counts are complete.
                with suppress(ValueError, RecursionError):
                    counts, _ = _JSON.raw_decode(text, match.end())
                    usage = _usage_of({"usage": counts})
                    if usage:
                        return usage
        return None


def _data_of(event: bytes) -> bytes:
    """Return the data of an event: what its lines ``data: ...`` hold, joined by line feeds."""
    prefix = b"data:"
    lines = [line for line in _LINE_END.split(event) if line.startswith(prefix)]
    return b"\n".join(line.removeprefix(prefix).lstrip(b" ") for line in lines)


def _usage_of(content: object) -> Usage | None:
    """Return the token counts in parsed JSON; None without counts or with impossible ones."""
    try:
        return Usage.read(content)
    except ValueError:
        return None
