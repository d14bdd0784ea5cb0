"""One cached reply: its bytes, token counts, media type and compression."""

from __future__ import annotations

import re
from typing import NamedTuple, Self

from mabench.models.usage import Usage

# Bytes; a longer reply is not cached.
LONGEST_REPLY = 64 * 1024**2
# A media type becomes a header line, so it may hold no line break.
_TYPE = re.compile(r"[\x20-\x7e]{0,200}")
_ENCODINGS = ("", "identity", "gzip", "x-gzip", "deflate")
# The media types of complete texts, and of texts that reached the limit of tokens.
_TEXT = "text/plain"
_CUT_OFF = f"{_TEXT}; cut-off=true"


class KeptReply(NamedTuple):
    """A reply in the cache: the server's bytes for a memory, the text for a reader or judge."""

    body: bytes
    usage: Usage | None = None  # None if the tokens are not known.
    type: str = _TEXT  # The media type; ``text/event-stream`` for a stream.
    encoding: str = ""  # How the bytes are compressed; empty if they are not.

    @classmethod
    def of_text(cls, text: str, usage: Usage, *, cut_off: bool) -> Self:
        """Return the cached form of a reply to a reader or judge."""
        media_type = _CUT_OFF if cut_off else _TEXT
        return cls(text.encode("utf-8", "surrogatepass"), usage, media_type)

    @property
    def cut_off(self) -> bool:
        """Whether the text broke off because it reached the limit of tokens."""
        return self.type == _CUT_OFF

    @property
    def text(self) -> str:
        """The text, lone surrogates included."""
        return self.body.decode("utf-8", "surrogatepass")

    @property
    def can_be_kept(self) -> bool:
        """Whether it can be stored and replayed: a known encoding, a valid type, not too long."""
        return (
            self.encoding in _ENCODINGS
            and _TYPE.fullmatch(self.type) is not None
            and len(self.body) <= LONGEST_REPLY
        )
