"""What an agent is told of a row: the pieces that a protocol makes of it, and the queries.

There are two ways to cut a history. The published chunker packs Punkt sentences by o200k_base
tokens. Its quirks are reproduced, since published figures rest on them: sentences are joined by
one space whatever stood between them, the joining spaces are not counted, a sentence over the
budget is never split, and when such a sentence comes first an empty chunk precedes it (the code
published with arXiv 2507.05257). Structured chunks never cut a unit in two, keep line breaks, and
need no tokenizer data. Conversations need not be cut: they can be told by turns or sessions.
"""

from __future__ import annotations

import hashlib
import re
import threading
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby, pairwise
from typing import NamedTuple

from mabench.contract import Query
from mabench.data import Dataset, Question, Row
from mabench.data.turns import Message, TurnIndex
from mabench.errors import UsageError, unknown
from mabench.families import Budget, Family, Prompts, ProtocolName, family_of, search_query
from mabench.specs import RunSpec
from mabench.text import estimate_each, sentences, truncate_tokens
from mabench.text.marks import read_time
from mabench.text.tokens import load_encoding, load_punkt

# How the name of a published protocol ends under which agents see no leak of the benchmark.
_UNMARKED = "-unmarked"
# Rows are cut at the same time, and only one of them may copy or download the data.
_LOADING = threading.Lock()
_LINES = re.compile(r"[^\n]*\n|[^\n]+")
_WORDS = re.compile(r"\s*\S+\s*?(?=\s|$)|\s+")


@dataclass(frozen=True, slots=True)
class _Piece:
    """What an agent is told at once."""

    text: str
    fields: Mapping[str, object] = field(default_factory=dict)  # Passed beside it, by name.
    turns: tuple[str, ...] = ()  # The ids of those it is made of; none of a piece that was cut.


class Script(NamedTuple):
    """What an agent is told of a row, and when it is asked."""

    pieces: list[_Piece]  # In order.
    points: list[int]  # For each question of the row, how many are told before it is asked.
    by_turn: bool = False  # Whether it is a conversation that is told by turns or sessions.


@dataclass(frozen=True, slots=True)
class _InjectionProtocol:
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
            return _published_chunks(context, size, offline=offline)
        return _structured_chunks(family.units(context), size)

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
        pieces, counts = list[_Piece](), {0: 0}
        for start, end in pairwise(sorted({0, *points, total})):
            if messages is not None:
                pieces += _pieces_of(messages[start:end], native, unit)
            else:
                begin = turns[start - 1].end if start else 0
                part = row.context[begin : None if end == total else turns[end - 1].end]
                chunks = self.chunks(family, part, chunk_tokens, offline=offline)
                # The published chunker can make empty chunks; there is nothing to memorize in one.
                pieces += [_Piece(chunk) for chunk in chunks if chunk]
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
PROTOCOLS: Mapping[str, _InjectionProtocol] = {
    _STRUCTURED: _InjectionProtocol(_STRUCTURED, _STRUCTURED),
    "turns": _InjectionProtocol("turns", _STRUCTURED, by_turn=True),
} | {
    f"{name}{ending}": _InjectionProtocol(f"{name}{ending}", name, published=True, leaks=not ending)
    for ending in ("", _UNMARKED)
    for name in _PUBLISHED
}


def protocol_named(name: str) -> _InjectionProtocol:
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


class Prompting:
    """How the histories of a run are told and its questions put."""

    def __init__(self, spec: RunSpec, prompts: Prompts) -> None:
        self._spec = spec
        self._protocol = protocol_named(spec.injection.protocol)
        self._prompts = prompts

    def script(self, family: Family, row: Row, native: Collection[str], unit: str) -> Script:
        """Return what the agent is told of a row; the arguments are those of a protocol's."""
        size, offline = self._spec.injection.chunk_tokens, self._spec.data.offline
        script = self._protocol.script(family, row, size, native=native, unit=unit, offline=offline)
        tell = self._prompts.tell
        pieces = [replace(one, text=tell(family.name, one.text)) for one in script.pieces]
        return script._replace(pieces=pieces)

    def query(self, family: Family, question: Question, by_turn: bool = False) -> Query:
        """Return how a question is put; of a history told ``by_turn``, with its time and user."""
        prompt = self._prompts.ask(family.name, question.question)
        return Query(
            prompt,
            question=question.question,
            search_query=search_query(prompt),
            max_tokens=self._protocol.budget(family).answer_tokens,
            system=self._prompts.system(family.name),
            time=read_time(question.question_date) if by_turn else None,
            user=question.asked_by if by_turn else None,
        )


def _pieces_of(messages: Iterable[Message], native: Collection[str], unit: str) -> Iterator[_Piece]:
    """Yield messages one by one, or those of a session and a user together; none is blank."""

    def session(message: Message) -> object:
        return message.fields.get("session"), message.fields.get("user")

    for _, group in groupby(messages, session if unit == "session" else id):
        part = [*group]
        said = [message for message in part if message.text.strip()]
        # All of a session may differ in a field but in its time, which is that of its beginning.
        fields = {
            name: value
            for name, value in (said[0].fields.items() if said else ())
            if name in native
            and (name == "time" or all(one.fields.get(name) == value for one in said))
        }
        before: Mapping[str, object] = {}
        texts = []
        for message in said:
            own = message.fields
            passed = {name for name, value in fields.items() if own.get(name) == value}
            again = {name for name in ("time", "user") if own.get(name) == before.get(name)}
            texts.append(message.as_told(passed | again))
            before = own
        if said:
            turns = tuple(message.id for message in part if message.id is not None)
            yield _Piece("\n".join(texts), fields, turns)


def _published_chunks(text: str, chunk_tokens: int, *, offline: bool = False) -> list[str]:
    """Cut ``text`` as the published code does, to a budget in o200k_base tokens."""
    with _LOADING:
        punkt = load_punkt(offline=offline)
        encoding = load_encoding(offline=offline)
    # Text that spells a special token is ordinary text here.
    sized = [(one, len(encoding.encode_ordinary(one))) for one in punkt.tokenize(text)]
    return [" ".join(packed) for packed in _pack(sized, chunk_tokens)] if sized else []


def _structured_chunks(units: Iterable[str], chunk_tokens: int) -> list[str]:
    """Pack whole units greedily into chunks of about ``chunk_tokens`` tokens, by estimate.

    A unit that alone exceeds the budget is cut at sentence ends; a sentence that does, at line
    ends, then between words, and a word that does, within. The units, joined, are a context. The
    chunks, joined, hold all of it but white space; none is empty.
    """
    chunks = ("".join(packed) for packed in _pack(_fit([*units], chunk_tokens), chunk_tokens))
    return [chunk.strip("\r\n") for chunk in chunks if chunk.strip()]


def _pack(pieces: Iterable[tuple[str, int]], most: int) -> list[list[str]]:
    """Pack pieces greedily by their tokens; the first stays empty where its piece has more."""
    packs, size = [list[str]()], 0
    for piece, tokens in pieces:
        if size + tokens > most:
            packs.append([])
            size = 0
        packs[-1].append(piece)
        size += tokens
    return packs


def _fit(texts: Sequence[str], limit: int, level: int = 0) -> Iterator[tuple[str, int]]:
    """Yield each text whole if it fits, else cut as finely as needed; with the tokens of each."""
    for text, tokens in zip(texts, estimate_each(texts), strict=True):
        if tokens <= limit or level > len(_SPLITTERS):
            yield text, tokens
        elif level == len(_SPLITTERS):
            yield from _fit([*_cut_words(text, limit)], limit, level + 1)
        else:
            yield from _fit(_SPLITTERS[level](text), limit, level + 1)


_SPLITTERS = (sentences, _LINES.findall, _WORDS.findall)


def _cut_words(text: str, limit: int) -> Iterator[str]:
    start, width = 0, limit
    while start < len(text):
        window = text[start : start + width]  # Not all of the rest, which may be long.
        head = truncate_tokens(window, limit) or window[:limit]
        if len(head) == width:
            width *= 2
            continue
        yield head
        start, width = start + len(head), limit
