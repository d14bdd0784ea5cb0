"""The protocols as data: how large the chunks are, how long an answer may be, how text is cut."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from mabench.errors import UsageError
from mabench.families import family_of
from mabench.injection.published_chunks import published_chunks
from mabench.injection.structured_chunks import structured_chunks

# Tokens by family, from the paper's settings and the repository's configurations
# (benchmark.md §3).
_PAPER_CHUNKS = {
    "ruler": 512,
    "longmemeval": 512,
    "factconsolidation": 512,
    "eventqa": 4096,
    "icl": 4096,
    "recsys": 4096,
    "infbench": 4096,
    "detective": 4096,
}
_PAPER_ANSWERS = {
    "ruler": 50,
    "longmemeval": 100,
    "eventqa": 40,
    "icl": 20,
    "recsys": 300,
    "infbench": 1200,
    "detective": 500,
    "factconsolidation": 10,
}


@dataclass(frozen=True, slots=True)
class Protocol:
    """How a history is injected and how long an answer may be.

    Attributes:
        name: the protocol's name.
        chunk_tokens: size of a chunk in tokens, by family.
        answer_tokens: answer budget in tokens, by family.
        published: whether the published chunker cuts; else whole units are packed.
    """

    name: str
    chunk_tokens: Mapping[str, int]
    answer_tokens: Mapping[str, int]
    published: bool

    def chunks(
        self, source: str, context: str, chunk_tokens: int | None = None, *, offline: bool = False
    ) -> list[str]:
        """Cut the context of a row.

        Args:
            source: the row's source, which decides size and units.
            context: the row's context.
            chunk_tokens: a size that replaces the protocol's.
            offline: never fetch tokenizer data over the network.

        Raises:
            MissingPackageError: when the published chunker's data cannot be had.
        """
        size = chunk_tokens or self.size(source)
        if self.published:
            return published_chunks(context, size, offline=offline)
        return structured_chunks(family_of(source).units(context), size)

    def size(self, source: str) -> int:
        """Return the size of a chunk of a source, in tokens."""
        return self.chunk_tokens[family_of(source).name]

    def max_tokens(self, source: str) -> int:
        """Return the answer budget of a source, in tokens."""
        return self.answer_tokens[family_of(source).name]


PROTOCOLS = {
    protocol.name: protocol
    for protocol in (
        Protocol("structured", _PAPER_CHUNKS, _PAPER_ANSWERS, published=False),
        Protocol("paper", _PAPER_CHUNKS, _PAPER_ANSWERS, published=True),
        Protocol(
            "repository",
            dict.fromkeys(_PAPER_CHUNKS, 4096),
            _PAPER_ANSWERS | {"longmemeval": 50, "detective": 2000},
            published=True,
        ),
    )
}


def protocol_named(name: str) -> Protocol:
    """Return a protocol by name.

    Raises:
        UsageError: when there is none of that name.
    """
    try:
        return PROTOCOLS[name]
    except KeyError:
        known = ", ".join(PROTOCOLS)
        raise UsageError(f"unknown protocol {name!r}; there are {known}") from None
