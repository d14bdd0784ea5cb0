"""What a memory asks, where it asks, and what its reply took, read while it is passed on."""

from __future__ import annotations

import hashlib
import json
import re
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import cached_property
from itertools import count
from typing import Any
from urllib.parse import urlsplit

from mabench.models import Call, CallLog, CallPhase, ModelAddress, Usage
from mabench.models.calls import find_texts, parse_object

# Streams of these say what they took only where they are asked to.
_KNOWN = ("chat/completions", "completions", "responses", "embeddings")
_ASKED = ("chat/completions", "completions")
# What is listed stays for a while, and clients look there before they call.
_LISTING = "models"
_EXACT = ("embeddings", _LISTING)
# Beside the body, what a reply may depend on. Organisation and project say who pays.
_TELLING = ("accept", "content-type", "openai-beta")
_OPTIONS = b'"stream_options":{"include_usage":true}'
_PORTS = {"http": 80, "https": 443}
_WHOLE = 1024**2  # Bytes of a reply that is read as a whole.
_PART = 64 * 1024  # Bytes of the start and the end of a longer one.
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
_LONGEST = 16 * 1024**2  # Bytes of an event; one that is longer is passed on unread.


@dataclass(frozen=True)
class ProxiedRequest:
    """A request of a memory; ``path`` is what it calls, such as ``chat/completions``."""

    path: str
    body: bytes = field(repr=False)
    method: str = "POST"
    query: str = ""

    @cached_property
    def content(self) -> dict[str, Any] | None:
        """The body as JSON; None where it is no object."""
        return parse_object(self.body)

    @property
    def target(self) -> str:
        """The path with the query."""
        return f"{self.path}?{self.query}" if self.query else self.path

    @property
    def model(self) -> str | None:
        """The model that it names, if any."""
        model = self.content and self.content.get("model")
        return model if isinstance(model, str) else None

    @property
    def takes_tokens(self) -> bool:
        """Whether it is known to take tokens."""
        return self.path in _KNOWN and self.content is not None

    @property
    def can_be_kept(self) -> bool:
        """Whether the same request is known to have the same reply, whole when it comes."""
        if self.method == "GET":
            return self.path.partition("/")[0] == _LISTING
        content = self.content or {}  # In the background, it is asked for until it is there.
        return self.method == "POST" and self.takes_tokens and not content.get("background")

    @property
    def samples(self) -> bool:
        """Whether the reply is drawn, so that who asks again may want another one."""
        if self.path.partition("/")[0] in _EXACT or self.content is None:
            return False
        return self.content.get("temperature") != 0 and self.content.get("seed") is None

    @property
    def hides_usage(self) -> bool:
        """Whether the reply is a stream that would not say what it took, but can be asked to."""
        if self.path not in _ASKED or self.content is None:
            return False
        return self.content.get("stream") is True and "stream_options" not in self.content

    def asking_usage(self) -> bytes:
        """Return the body of a stream's request that asks for the usage, otherwise as it came."""
        start = self.body.index(b"{") + 1
        return self.body[:start] + _OPTIONS + b"," + self.body[start:]

    def key(self, server: str, headers: Mapping[str, str]) -> bytes:
        """Return a hash of everything that determines the reply; no key among headers counts."""
        parts = urlsplit(server)
        port = "" if parts.port in (None, _PORTS.get(parts.scheme)) else f":{parts.port}"
        named = f"{parts.scheme}://{parts.hostname or ''}{port}{parts.path.rstrip('/')}"
        telling = [(name, headers.get(name)) for name in _TELLING]
        determining = json.dumps([named, self.method, self.target, telling]).encode()
        return hashlib.sha256(determining + b"\0" + self.body).digest()


@dataclass
class _Draw:
    """One of several requests of a row that are the same and may want different replies."""

    number: int = 0
    used: bool = False  # It had its reply.


class RowEndpoint(CallLog):
    """The address of one row, with a token that nobody can guess; told of its calls from a thread.

    ``miss`` is told in words of a call whose reply would have to be kept; ``refused`` counts the
    calls that were not passed on, since the run is stopping.
    """

    def __init__(
        self,
        address: ModelAddress,
        tell: Callable[[Call], object],
        miss: Callable[[str], object],
    ) -> None:
        super().__init__(tell, CallPhase("memorizing"))
        self.address = address
        self.miss = miss
        self.refused = 0
        self._draws: dict[bytes, set[int]] = {}

    @contextmanager
    def draw(self, key: bytes, samples: bool) -> Iterator[_Draw]:
        """Number a request that may want another reply than the same one, by ``key``, had."""
        if not samples:
            yield _Draw()
            return
        numbers = self._draws.setdefault(key, set())
        draw = _Draw(next(number for number in count() if number not in numbers))
        numbers.add(draw.number)
        try:
            yield draw
        finally:
            if not draw.used:
                numbers.discard(draw.number)


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

    def usage(self, request: ProxiedRequest) -> Usage | None:
        """Return what the call took, as far as the reply came; None where nobody can say."""
        if self._usage or not request.takes_tokens:
            return self._usage
        return Usage.estimate(request.content, "".join(self._text))

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

    def usage(self, request: ProxiedRequest) -> Usage | None:
        """Return what the call took, as far as the reply came; None where nobody can say."""
        content = None if self._end else self._content()
        usage = self._find_usage() if self._end else _usage_of(content)
        if usage or not request.takes_tokens:
            return usage
        parts = [content.get("choices"), content.get("output")] if content else []
        return Usage.estimate(request.content, "\n".join(find_texts(parts)))

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
