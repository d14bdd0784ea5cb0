"""What is kept of a call of a model, and under which name."""

from __future__ import annotations

import hashlib
import json
import re
import zlib
from dataclasses import asdict
from typing import NamedTuple

from mabench.json_text import from_json, has_surrogates, to_json
from mabench.models.spec import ModelRequest, Reply

# A line of a reply's head may hold no line break, or it would end there.
_TYPE = re.compile(r"[\x20-\x7e]{0,200}")
ENCODINGS = ("", "identity", "gzip", "x-gzip", "deflate")
LONGEST_BODY = 64 * 1024**2  # Bytes; a longer reply is not kept.
# Little is gained by more, which would take more than a millisecond a call.
_LEVEL = 1


class KeptBody(NamedTuple):
    """The reply to a call of a memory, as the memory got it.

    Attributes:
        type: its media type; a stream is ``text/event-stream``.
        encoding: how its bytes are compressed; empty for not at all.
        body: its bytes.
        tokens: of the request and of the reply, and how many of the request the server had kept;
            None where nobody counts them.
        estimated: whether the first two are our estimate.
    """

    type: str
    encoding: str
    body: bytes
    tokens: tuple[int, int, int] | None = None
    estimated: bool = False

    @property
    def can_be_kept(self) -> bool:
        """Whether it has a form in which it can be given back, here and elsewhere."""
        known = self.encoding in ENCODINGS and _TYPE.fullmatch(self.type) is not None
        return known and len(self.body) <= LONGEST_BODY


Kept = Reply | KeptBody


def request_key(model: str, server: str | None, request: ModelRequest) -> str:
    """Return a hash of everything that determines a reply."""
    determining = {"model": model, "server": server, **asdict(request)}
    return hashlib.sha256(json.dumps(determining, sort_keys=True).encode()).hexdigest()


def packed(kept: Kept) -> str | bytes:
    """Return the content of a reply as SQLite holds it.

    A body is compressed, and its checksum shows damage. A text is JSON, in bytes, where UTF-8
    cannot hold it.
    """
    if isinstance(kept, KeptBody):
        return zlib.compress(kept.body, _LEVEL)
    return to_json(kept.text).encode() if has_surrogates(kept.text) else kept.text


def unpacked_text(content: object) -> str:
    """Return the text of a reader's reply; raise a ``ValueError`` for what is damaged."""
    text = from_json(content) if isinstance(content, bytes) else content
    if not isinstance(text, str):
        raise ValueError("no text")
    return text


def unpacked_body(content: object) -> bytes:
    """Return the bytes of a body; raise a ``ValueError`` for what is damaged or too long."""
    if not isinstance(content, bytes):
        raise ValueError("no bytes")
    reader = zlib.decompressobj()
    try:
        body = reader.decompress(content, LONGEST_BODY)
    except zlib.error as error:
        raise ValueError(str(error)) from error
    if not reader.eof:
        raise ValueError("it is cut off or too long")
    return body
