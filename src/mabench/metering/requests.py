"""A memory's request to a model: what it calls, and whether its reply can be cached."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any
from urllib.parse import urlsplit

from mabench.metering.json_objects import parse_object

# Paths whose calls take tokens.
_TOKEN_PATHS = ("chat/completions", "completions", "responses", "embeddings")
# Paths whose streams contain token counts only on request.
_STREAM_OPTION_PATHS = ("chat/completions", "completions")
# The list of models, which clients look up before they call one.
_LISTING = "models"
# Paths whose equal requests always get equal replies.
_UNSAMPLED_PATHS = ("embeddings", _LISTING)
# Headers on which a reply may depend.
_VARYING_HEADERS = ("accept", "content-type", "openai-beta")
# The ports that a URL need not name.
_DEFAULT_PORTS = {"http": 80, "https": 443}


@dataclass(frozen=True)
class ProxiedRequest:
    """A memory's request; ``path`` is what it calls, such as ``chat/completions``."""

    path: str
    body: bytes = field(repr=False)
    method: str
    query: str
    headers: Mapping[str, str] = field(repr=False)

    @cached_property
    def content(self) -> dict[str, Any] | None:
        """The parsed body; None if it is no JSON object."""
        return parse_object(self.body)

    @property
    def target(self) -> str:
        """The path with the query."""
        return f"{self.path}?{self.query}" if self.query else self.path

    @property
    def model(self) -> str | None:
        """The model that it names, if any."""
        model = self.content.get("model") if self.content else None
        return model if isinstance(model, str) else None

    @property
    def asked(self) -> dict[str, Any] | None:
        """The parsed body if the call takes tokens; else None."""
        return self.content if self.path in _TOKEN_PATHS else None

    @property
    def can_be_kept(self) -> bool:
        """Whether the reply may be cached: it comes at once, and takes tokens or lists models."""
        if self.method == "GET":
            return self.path.partition("/")[0] == _LISTING
        if self.method != "POST" or self.asked is None:
            return False
        # In the background, the reply is not complete: clients ask for it again and again.
        return not self.asked.get("background")

    @property
    def samples(self) -> bool:
        """Whether the reply is sampled, so that asking again may give another one."""
        if self.path.partition("/")[0] in _UNSAMPLED_PATHS or self.content is None:
            return False
        return self.content.get("temperature") != 0 and self.content.get("seed") is None

    @property
    def hides_usage(self) -> bool:
        """Whether the reply is a stream that contains token counts only on request."""
        if self.path not in _STREAM_OPTION_PATHS or self.content is None:
            return False
        return self.content.get("stream") is True and "stream_options" not in self.content

    def hash(self, server: str) -> bytes:
        """Return a hash of everything that determines the reply; keys in headers do not."""
        parts = urlsplit(server)
        is_default = parts.port in (None, _DEFAULT_PORTS.get(parts.scheme))
        port = "" if is_default else f":{parts.port}"
        base_url = f"{parts.scheme}://{parts.hostname or ''}{port}{parts.path.rstrip('/')}"
        varying = [(name, self.headers.get(name)) for name in _VARYING_HEADERS]
        determining = json.dumps([base_url, self.method, self.target, varying]).encode()
        return hashlib.sha256(determining + b"\0" + self.body).digest()
