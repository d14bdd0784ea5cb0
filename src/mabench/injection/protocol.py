"""What an agent is told of a row: the chunks that a protocol cuts, and the queries."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from mabench.contract import Query
from mabench.data import Dataset, Question, Row
from mabench.errors import UsageError
from mabench.families import (
    Budget,
    Family,
    Prompts,
    ProtocolName,
    ScoringInput,
    family_of,
    search_query,
)
from mabench.injection.chunkers import published_chunks, structured_chunks
from mabench.scoring import Catalogue
from mabench.specs import RunSpec
from mabench.suggestions import unknown

# How the name of a published protocol ends under which agents see no leak of the benchmark.
UNMARKED = "-unmarked"


@dataclass(frozen=True, slots=True)
class InjectionProtocol:
    """How a history is injected; each family has the budgets.

    Attributes:
        name: the protocol's name.
        sizes: the protocol whose budgets it has.
        published: whether the published chunker cuts; else whole units are packed.
        leaks: whether agents see what published contexts tell about the golds.
    """

    name: str
    sizes: ProtocolName
    published: bool
    leaks: bool

    def budget(self, family: Family) -> Budget:
        """Return the size of a chunk and the longest answer, in tokens."""
        return family.budgets[self.sizes]

    def leak(self, family: Family) -> str | None:
        """Return what contexts of a family tell agents about the golds, if anything."""
        return family.leak.what if family.leak and self.leaks else None

    def chunks(
        self,
        family: Family,
        context: str,
        chunk_tokens: int | None = None,
        *,
        offline: bool = False,
    ) -> list[str]:
        """Cut the context of a row into chunks of its family's size, or of ``chunk_tokens``.

        If ``offline``, tokenizer data are never fetched over the network.

        Raises:
            MissingPackageError: when the published chunker's data cannot be had.
        """
        size = chunk_tokens or self.budget(family).chunk_tokens
        if family.leak and not self.leaks:
            context = family.leak.remove(context)
        if self.published:
            return published_chunks(context, size, offline=offline)
        return structured_chunks(family.units(context), size)


_STRUCTURED, *_PUBLISHED = ProtocolName
PROTOCOLS: Mapping[str, InjectionProtocol] = {
    protocol.name: protocol
    for protocol in (
        InjectionProtocol(_STRUCTURED, _STRUCTURED, published=False, leaks=False),
        *(InjectionProtocol(name, name, published=True, leaks=True) for name in _PUBLISHED),
        *(
            InjectionProtocol(f"{name}{UNMARKED}", name, published=True, leaks=False)
            for name in _PUBLISHED
        ),
    )
}


def protocol_named(name: str) -> InjectionProtocol:
    """Return a protocol by name.

    Raises:
        UsageError: when there is none of that name.
    """
    if name not in PROTOCOLS:
        raise UsageError(unknown("unknown protocol", name, PROTOCOLS), parameter="protocol")
    return PROTOCOLS[name]


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
            sha256=[
                hashlib.sha256(chunk.encode("utf-8", "surrogatepass")).hexdigest()
                for chunk in chunks
            ],
        )


class Prompting:
    """How the histories of a run are told and its questions put."""

    def __init__(self, spec: RunSpec, prompts: Prompts) -> None:
        self._spec = spec
        self._protocol = protocol_named(spec.injection.protocol)
        self._prompts = prompts

    def chunks(self, family: Family, row: Row) -> list[str]:
        """Return what the agent is told of a row, one after the other.

        Raises:
            MabenchError: when tokenizer data cannot be had.
        """
        chunks = self._protocol.chunks(
            family,
            row.context,
            self._spec.injection.chunk_tokens,
            offline=self._spec.data.offline,
        )
        # The published chunker can make empty chunks; there is nothing to memorize in one.
        return [self._prompts.tell(family.name, chunk) for chunk in chunks if chunk]

    def query(self, family: Family, question: Question) -> Query:
        """Return how a question is put."""
        prompt = self._prompts.ask(family.name, question.question)
        return Query(
            prompt,
            question=question.question,
            search_query=search_query(prompt),
            max_tokens=self._protocol.budget(family).answer_tokens,
            system=self._prompts.system(family.name),
        )


def perfect_answer(family: Family, question: Question, catalogue: Catalogue | None) -> str:
    """Return the text of a perfect answer, which only the oracle is shown."""
    kind = question.question_type
    return family.ideal(ScoringInput("", question.answers, question.question, catalogue, kind))
