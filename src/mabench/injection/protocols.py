"""The protocols: how each cuts a history, and how long chunks and answers may be."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

from mabench.data import Dataset, Row
from mabench.data.turns import Message, TurnIndex
from mabench.errors import UsageError, unknown
from mabench.families import Budget, Family, ProtocolName, family_of
from mabench.injection.published_chunks import cut_as_published
from mabench.injection.scripts import Piece, Script, cut_messages
from mabench.injection.structured_chunks import pack_units

# How the name of a published protocol ends under which agents see no leak of the benchmark.
_UNMARKED = "-unmarked"


@dataclass(frozen=True, slots=True)
class InjectionProtocol:
    """How a history is injected; each family has the budgets."""

    name: str
    sizes: ProtocolName  # The protocol whose budgets it has.
    published: bool = False  # Whether the published chunker cuts; else whole units are packed.
    leaks: bool = False  # Whether agents see what published contexts tell about the golds.
    by_turn: bool = False  # Whether conversations are told by turns or sessions, uncut.

    def budget(self, family: Family) -> Budget:
        """Return the size of a chunk and the longest answer, in tokens."""
        return family.budgets[self.sizes]

    def chunks(
        self,
        family: Family,
        context: str,
        chunk_tokens: int | None = None,
        *,
        offline: bool = False,
    ) -> list[str]:
        """Cut the context of a row into chunks of its family's size, or of ``chunk_tokens``.

        If ``offline``, tokenizer data are never fetched over the network; the published chunker
        raises MissingPackageError where it cannot have them.
        """
        size = chunk_tokens or self.budget(family).chunk_tokens
        if family.leak and not self.leaks:
            context = family.leak.remove(context)
        if self.published:
            return cut_as_published(context, size, offline=offline)
        return pack_units(family.units(context), size)

    def script(
        self,
        family: Family,
        row: Row,
        chunk_tokens: int | None = None,
        *,
        native: Collection[str] = (),
        unit: str = "turn",
        offline: bool = False,
    ) -> Script:
        """Return what an agent is told of a row, cut wherever a question is asked in between.

        ``native`` are the fields that the agent takes beside the text, ``unit`` is that by which it
        takes conversations, ``turn`` or ``session``. For the rest, and what is raised, see
        ``chunks``.
        """
        messages, turns = Message.of_row(row) if self.by_turn else None, row.turns or []
        total = len(messages or turns) or 1  # Text without turns is asked about in the end alone.
        asked_after = row.asked_after or [None] * len(row.questions)
        index = TurnIndex(row)
        points = [total if after is None else index.turns_before(after) for after in asked_after]
        pieces, counts = list[Piece](), {0: 0}
        for start, end in pairwise(sorted({0, *points, total})):
            if messages is not None:
                pieces += cut_messages(messages[start:end], native, unit)
            else:
                begin = turns[start - 1].end if start else 0
                part = row.context[begin : None if end == total else turns[end - 1].end]
                chunks = self.chunks(family, part, chunk_tokens, offline=offline)
                # The published chunker can make empty chunks; there is nothing to memorize in one.
                pieces += [Piece(chunk) for chunk in chunks if chunk]
            counts[end] = len(pieces)
        return Script(pieces, [counts[number] for number in points], messages is not None)

    def list_chunks(
        self,
        dataset: Dataset,
        sources: str | Collection[str] | None = None,
        chunk_tokens: int | None = None,
        *,
        offline: bool = False,
    ) -> Iterator[RowChunks]:
        """Yield for each row how it would be cut, without running anything."""
        for row in dataset.rows(sources):
            family = family_of(row.source, dataset.sources)
            size: int | None = chunk_tokens or self.budget(family).chunk_tokens
            if self.by_turn or row.asked_after:
                script = self.script(family, row, chunk_tokens, offline=offline)
                chunks = [piece.text for piece in script.pieces]
                size = None if script.by_turn else size
            else:  # With the empty ones that the published chunker makes.
                chunks = self.chunks(family, row.context, chunk_tokens, offline=offline)
            texts = [chunk.encode("utf-8", "surrogatepass") for chunk in chunks]
            yield RowChunks(
                *(row.split, row.index, row.source, self.name),
                chunk_tokens=size,
                chars=len(row.context),
                chunks=len(chunks),
                lengths=[len(chunk) for chunk in chunks],
                sha256=[hashlib.sha256(text).hexdigest() for text in texts],
            )


_STRUCTURED, *_PUBLISHED = ProtocolName
PROTOCOLS: Mapping[str, InjectionProtocol] = {
    _STRUCTURED: InjectionProtocol(_STRUCTURED, _STRUCTURED),
    "turns": InjectionProtocol("turns", _STRUCTURED, by_turn=True),
} | {
    f"{name}{ending}": InjectionProtocol(f"{name}{ending}", name, published=True, leaks=not ending)
    for ending in ("", _UNMARKED)
    for name in _PUBLISHED
}


def protocol_named(name: str) -> InjectionProtocol:
    """Return a protocol by name; UsageError when there is none."""
    if name not in PROTOCOLS:
        raise UsageError(unknown("unknown protocol", name, PROTOCOLS), parameter="protocol")
    return PROTOCOLS[name]


class RowChunks(NamedTuple):
    """How a row is cut: its place, its length, and length and sha256 of each chunk.

    ``chunk_tokens`` is the size in tokens, None of turns; ``chars`` and ``lengths`` count
    characters.
    """

    split: str
    row: int
    source: str
    protocol: str
    chunk_tokens: int | None
    chars: int
    chunks: int
    lengths: list[int]
    sha256: list[str]
