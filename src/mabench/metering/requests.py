"""A request of a memory: what it calls, and what that says of the reply to it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any
from urllib.parse import urlsplit

from mabench.metering.json_objects import parse_object

# Streams of these say what they took only if they are asked to.
_TOKEN_PATHS = ("chat/completions", "completions", "responses", "embeddings")
_STREAM_OPTION_PATHS = ("chat/completions", "completions")
# What is listed stays for a while, and clients look there before they call.
_LISTING = "models"
_UNSAMPLED_PATHS = ("embeddings", _LISTING)
# Beside the body, what a reply may depend on. Organisation and project say who pays.
_VARYING_HEADERS = ("accept", "content-type", "openai-beta")
# The ports that an address need not name.
_PORTS = {"http": 80, "https": 443}


@dataclass(frozen=True)
class ProxiedRequest:
    """A request of a memory; ``path`` is what it calls, such as ``chat/completions``."""

    path: str
    body: bytes = field(repr=False)
    method: str
    query: str
    headers: Mapping[str, str] = field(repr=False)

    @cached_property
    def content(self) -> dict[str, Any] | None:
        """The body as JSON; None if it is no object."""
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
    def asked(self) -> dict[str, Any] | None:
        """What it asks, where it is known to take tokens."""
        return self.content if self.path in _TOKEN_PATHS else None

    @property
    def can_be_kept(self) -> bool:
        """Whether the same request is known to have the same reply, whole when it comes."""
        if self.method == "GET":
            return self.path.partition("/")[0] == _LISTING
        content = self.content or {}  # In the background, it is asked for until it is there.
        return self.method == "POST" and self.asked is not None and not content.get("background")

    @property
    def samples(self) -> bool:
        """Whether the reply is drawn, so that who asks again may want another one."""
        if self.path.partition("/")[0] in _UNSAMPLED_PATHS or self.content is None:
            return False
        return self.content.get("temperature") != 0 and self.content.get("seed") is None

    @property
    def hides_usage(self) -> bool:
        """Whether the reply is a stream that would not say what it took, but can be asked to."""
        if self.path not in _STREAM_OPTION_PATHS or self.content is None:
            return False
        return self.content.get("stream") is True and "stream_options" not in self.content

    def key(self, server: str) -> bytes:
        """Return a hash of everything that determines the reply; no key among headers counts."""
        parts = urlsplit(server)
        port = "" if parts.port in (None, _PORTS.get(parts.scheme)) else f":{parts.port}"
        named = f"{parts.scheme}://{parts.hostname or ''}{port}{parts.path.rstrip('/')}"
        varying = [(name, self.headers.get(name)) for name in _VARYING_HEADERS]
        determining = json.dumps([named, self.method, self.target, varying]).encode()
        return hashlib.sha256(determining + b"\0" + self.body).digest()
