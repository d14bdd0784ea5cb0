"""The protocols, each of which cuts histories and limits chunks and answers in its own way."""

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

# The ending of the name of a published protocol without the benchmark's leaks.
_UNMARKED = "-unmarked"


@dataclass(frozen=True, slots=True)
class InjectionProtocol:
    """How histories are cut into what an agent gets. The budgets are those of each family."""

    name: str
    sizes: ProtocolName  # The protocol whose budgets it uses.
    published: bool = False  # Whether the published chunker is used; else whole units are packed.
    leaks: bool = False  # Whether marks that give golds away are left in.
    by_turn: bool = False  # Whether conversations are passed as turns or sessions, not as chunks.

    def budget(self, family: Family) -> Budget:
        """Return the sizes of a chunk and of an answer, in tokens."""
        return family.budgets[self.sizes]

    def chunks(
        self,
        family: Family,
        context: str,
        chunk_tokens: int | None = None,
        *,
        offline: bool = False,
    ) -> list[str]:
        """Cut a history into chunks of its family's size, or of ``chunk_tokens``.

        If ``offline``, the data of a tokenizer are never downloaded.

        Raises:
            MissingPackageError: when the data that the published chunker needs cannot be had.
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
        """Return the pieces of a row for an agent, and when each question is asked.

        A history is also cut wherever a question is asked before its end. ``native`` are the fields
        that the agent takes besides the text, and ``unit`` is what it takes at once of a
        conversation: ``turn`` or ``session``. The other parameters, and the errors, are those of
        ``chunks``.
        """
        messages = Message.of_row(row) if self.by_turn else None
        turns = row.turns or []
        # Text without turns counts as one turn: questions are asked at its end.
        total = len(messages or turns) or 1
        turns_before_questions = _turns_before_questions(row, total)
        pieces: list[Piece] = []
        pieces_before = {0: 0}  # The number of pieces, by the number of turns that they contain.
        for start, end in pairwise(sorted({0, *turns_before_questions, total})):
            if messages is not None:
                pieces += cut_messages(messages[start:end], native, unit)
            else:
                first = turns[start - 1].end if start else 0
                last = len(row.context) if end == total else turns[end - 1].end
                part = row.context[first:last]
                chunks = self.chunks(family, part, chunk_tokens, offline=offline)
                # The published chunker may make empty chunks.
                pieces += [Piece(chunk) for chunk in chunks if chunk]
            pieces_before[end] = len(pieces)
        points = [pieces_before[number] for number in turns_before_questions]
        return Script(pieces, points, by_turn=messages is not None)

    def list_chunks(
        self,
        dataset: Dataset,
        sources: str | Collection[str] | None = None,
        chunk_tokens: int | None = None,
        *,
        offline: bool = False,
    ) -> Iterator[RowChunks]:
        """Yield how each row would be cut, without running anything."""
        for row in dataset.rows(sources):
            family = family_of(row.source, dataset.sources)
            size: int | None = chunk_tokens or self.budget(family).chunk_tokens
            if self.by_turn or row.asked_after:
                script = self.script(family, row, chunk_tokens, offline=offline)
                chunks = [piece.text for piece in script.pieces]
                size = None if script.by_turn else size
            else:  # Including the empty chunks that the published chunker makes.
                chunks = self.chunks(family, row.context, chunk_tokens, offline=offline)
            texts = [chunk.encode("utf-8", "surrogatepass") for chunk in chunks]
            yield RowChunks(
                split=row.split,
                row=row.index,
                source=row.source,
                protocol=self.name,
                chunk_tokens=size,
                chars=len(row.context),
                chunks=len(chunks),
                lengths=[len(chunk) for chunk in chunks],
                sha256=[hashlib.sha256(text).hexdigest() for text in texts],
            )


def _turns_before_questions(row: Row, total: int) -> list[int]:
    """Return, for each question of a row, after how many of its ``total`` turns it is asked."""
    if not row.asked_after:
        return [total] * len(row.questions)
    index = TurnIndex(row)
    return [
        total if position is None else index.turns_before(position) for position in row.asked_after
    ]


def _published_protocol(sizes: ProtocolName, *, leaks: bool) -> InjectionProtocol:
    """Return a published protocol as it is, or without the benchmark's leaks."""
    name = f"{sizes}" if leaks else f"{sizes}{_UNMARKED}"
    return InjectionProtocol(name, sizes, published=True, leaks=leaks)


_ALL_PROTOCOLS = (
    InjectionProtocol(f"{ProtocolName.STRUCTURED}", ProtocolName.STRUCTURED),
    InjectionProtocol("turns", ProtocolName.STRUCTURED, by_turn=True),
    _published_protocol(ProtocolName.PAPER, leaks=True),
    _published_protocol(ProtocolName.REPOSITORY, leaks=True),
    _published_protocol(ProtocolName.PAPER, leaks=False),
    _published_protocol(ProtocolName.REPOSITORY, leaks=False),
)
PROTOCOLS: Mapping[str, InjectionProtocol] = {
    protocol.name: protocol for protocol in _ALL_PROTOCOLS
}


def protocol_named(name: str) -> InjectionProtocol:
    """Return a protocol by its name.

    Raises:
        UsageError: when there is none of that name.
    """
    if name not in PROTOCOLS:
        raise UsageError(unknown("unknown protocol", name, PROTOCOLS), parameter="protocol")
    return PROTOCOLS[name]


class RowChunks(NamedTuple):
    """How a row is cut: its place and length, and the length and SHA-256 of each chunk.

    ``chunk_tokens`` is the size of a chunk in tokens; None for turns. ``chars`` and ``lengths``
    are in characters.
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
