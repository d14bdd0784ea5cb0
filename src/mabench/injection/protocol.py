"""The protocols by which a history is injected, and the chunks that they cut it into."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from mabench.data import Dataset
from mabench.errors import UsageError
from mabench.families import Budget, Family, ProtocolName, family_of
from mabench.injection.chunkers import published_chunks, structured_chunks
from mabench.suggestions import unknown


@dataclass(frozen=True, slots=True)
class InjectionProtocol:
    """How a history is injected; each family has the budgets.

    Attributes:
        name: the protocol's name.
        published: whether the published chunker cuts; else whole units are packed.
    """

    name: ProtocolName
    published: bool

    def budget(self, family: Family) -> Budget:
        """Return the size of a chunk and the longest answer, in tokens."""
        return family.budgets[self.name]

    def chunks(
        self,
        family: Family,
        context: str,
        chunk_tokens: int | None = None,
        *,
        offline: bool = False,
    ) -> list[str]:
        """Cut the context of a row.

        Args:
            family: the row's family, which decides size and units.
            context: the row's context.
            chunk_tokens: a size that replaces the protocol's.
            offline: never fetch tokenizer data over the network.

        Raises:
            MissingPackageError: when the published chunker's data cannot be had.
        """
        size = chunk_tokens or self.budget(family).chunk_tokens
        if self.published:
            return published_chunks(context, size, offline=offline)
        return structured_chunks(family.units(context), size)


PROTOCOLS: Mapping[ProtocolName, InjectionProtocol] = {
    name: InjectionProtocol(name, published=name is not ProtocolName.STRUCTURED)
    for name in ProtocolName
}


def protocol_named(name: str) -> InjectionProtocol:
    """Return a protocol by name.

    Raises:
        UsageError: when there is none of that name.
    """
    if name not in PROTOCOLS:
        raise UsageError(unknown("unknown protocol", name, PROTOCOLS), parameter="protocol")
    return PROTOCOLS[ProtocolName(name)]


class RowChunks(NamedTuple):
    """How a row is cut: its place, its length, and length and sha256 of each chunk.

    ``chunk_tokens`` is the size in tokens; ``chars`` and ``lengths`` count characters.
    """

    split: str
    row: int
    source: str
    protocol: str
    chunk_tokens: int
    chars: int
    chunks: int
    lengths: list[int]
    sha256: list[str]


def list_chunks(
    dataset: Dataset,
    protocol: InjectionProtocol,
    sources: str | Collection[str] | None = None,
    chunk_tokens: int | None = None,
    *,
    offline: bool = False,
) -> Iterator[RowChunks]:
    """Yield for each row how it would be cut, without running anything.

    Raises:
        MabenchError: when rows cannot be read or tokenizer data cannot be had.
    """
    for row in dataset.rows(sources):
        family = family_of(row.source, dataset.sources)
        chunks = protocol.chunks(family, row.context, chunk_tokens, offline=offline)
        yield RowChunks(
            split=row.split,
            row=row.index,
            source=row.source,
            protocol=protocol.name,
            chunk_tokens=chunk_tokens or protocol.budget(family).chunk_tokens,
            chars=len(row.context),
            chunks=len(chunks),
            lengths=[len(chunk) for chunk in chunks],
            sha256=[_sha256(chunk) for chunk in chunks],
        )


def _sha256(chunk: str) -> str:
    return hashlib.sha256(chunk.encode("utf-8", errors="surrogatepass")).hexdigest()
