"""What a memory asks, where it asks, and how a request is made to say what its reply took."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from itertools import count
from typing import Any
from urllib.parse import urlsplit

from mabench.models import Call, CallLog, CallPhase, ModelAddress
from mabench.models.usage import parse_object

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
