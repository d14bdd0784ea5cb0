"""A request of a memory: what it asks for, and how it is made to say what its reply took."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from typing import Any

from mabench.metering.usage import parsed

# Streams of these say what they took only where they are asked to.
_KNOWN = ("chat/completions", "completions", "responses", "embeddings")
_ASKED = ("chat/completions", "completions")
_OPTIONS = b'"stream_options":{"include_usage":true}'


@dataclass(frozen=True)
class Asking:
    """A request.

    Attributes:
        path: what is called, such as ``chat/completions``.
        body: as it came.
        content: the body as JSON; None where it is none.
    """

    path: str
    body: bytes
    content: Any = field(repr=False)

    @classmethod
    def read(cls, path: str, body: bytes) -> Asking:
        """Read a request."""
        return cls(path, body, parsed(body) if body else None)

    @property
    def model(self) -> str | None:
        """The model that it names, if any."""
        model = self.content.get("model") if isinstance(self.content, dict) else None
        return model if isinstance(model, str) else None

    @property
    def takes_tokens(self) -> bool:
        """Whether it is known to take tokens."""
        return self.path in _KNOWN and isinstance(self.content, dict)

    @property
    def mute(self) -> bool:
        """Whether the reply is a stream that would not say what it took, but can be asked to."""
        if self.path not in _ASKED or not isinstance(self.content, dict):
            return False
        return self.content.get("stream") is True and "stream_options" not in self.content

    def asking_usage(self) -> bytes:
        """Return the body of a mute request that asks for the usage, otherwise as it came."""
        start = self.body.index(b"{") + 1
        return self.body[:start] + _OPTIONS + b"," + self.body[start:]

    def print(self) -> bytes:
        """Return what tells this request from others."""
        return hashlib.blake2b(self.path.encode() + b"\0" + self.body, digest_size=16).digest()
