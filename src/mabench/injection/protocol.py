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
    """How a history is injected; each family has the budgets."""

    name: str
    sizes: ProtocolName  # The protocol whose budgets it has.
    published: bool  # Whether the published chunker cuts; else whole units are packed.
    leaks: bool  # Whether agents see what published contexts tell about the golds.

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
            return published_chunks(context, size, offline=offline)
        return structured_chunks(family.units(context), size)


_STRUCTURED, *_PUBLISHED = ProtocolName
PROTOCOLS: Mapping[str, InjectionProtocol] = {
    _STRUCTURED: InjectionProtocol(_STRUCTURED, _STRUCTURED, published=False, leaks=False)
} | {
    f"{name}{ending}": InjectionProtocol(f"{name}{ending}", name, published=True, leaks=not ending)
    for ending in ("", UNMARKED)
    for name in _PUBLISHED
}


def protocol_named(name: str) -> InjectionProtocol:
    """Return a protocol by name; UsageError when there is none."""
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
    """Yield for each row how it would be cut, without running anything."""
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
        """Return what the agent is told of a row, one after the other."""
        size, offline = self._spec.injection.chunk_tokens, self._spec.data.offline
        chunks = self._protocol.chunks(family, row.context, size, offline=offline)
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
