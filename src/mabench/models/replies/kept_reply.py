"""One reply as it is kept: the bytes, the tokens that they took, and their form."""

from __future__ import annotations

import re
from typing import NamedTuple, Self

from mabench.models.usage import Usage

# Bytes; a longer reply is not kept.
LONGEST_REPLY = 64 * 1024**2
# A line of a reply's head may hold no line break, or it would end there.
_TYPE = re.compile(r"[\x20-\x7e]{0,200}")
_ENCODINGS = ("", "identity", "gzip", "x-gzip", "deflate")
# The media types of whole texts, and of those that broke off at the limit of their tokens.
_TEXT = "text/plain"
_CUT_OFF = f"{_TEXT}; cut-off=true"


class KeptReply(NamedTuple):
    """A reply as who called got it: a memory the bytes that came, our readers and judges a text."""

    body: bytes
    usage: Usage | None = None  # None if nobody counts the tokens.
    type: str = _TEXT  # The media type; a stream is ``text/event-stream``.
    encoding: str = ""  # How the bytes are compressed; empty for not at all.

    @classmethod
    def of_text(cls, text: str, usage: Usage, *, cut_off: bool) -> Self:
        """Return what is kept of a reply to a reader or judge of ours."""
        kind = _CUT_OFF if cut_off else _TEXT
        return cls(text.encode("utf-8", "surrogatepass"), usage, kind)

    @property
    def cut_off(self) -> bool:
        """Whether the text broke off because all tokens that it was allowed were used."""
        return self.type == _CUT_OFF

    @property
    def text(self) -> str:
        """The text that was kept, even one that UTF-8 cannot hold."""
        return self.body.decode("utf-8", "surrogatepass")

    @property
    def can_be_kept(self) -> bool:
        """Whether it has a form in which it can be given back, here and elsewhere."""
        return (
            self.encoding in _ENCODINGS
            and _TYPE.fullmatch(self.type) is not None
            and len(self.body) <= LONGEST_REPLY
        )
