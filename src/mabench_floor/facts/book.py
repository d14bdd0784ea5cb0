"""The book of facts: what numbered statements say about each name, the newest statement last."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import zip_longest
from typing import NamedTuple

from mabench.text.stems import tokens
from mabench_floor.facts.frames import Frame, FrameIndex, Reading, learn_frames
from mabench_floor.facts.grammar import key_slot

_MARK = re.compile(r"(?<!\S)(\d{1,9})\.\s+")
_FEWEST = 3
# A word; a possessive ending and a comma are alone, so that a name can end before them.
_TOKEN = re.compile(r"['\u2019]s(?!\w)|[,;](?!\S)|[^\s]+?(?=['\u2019]s(?!\w)|[,;](?!\S)|\s|$)")
# Words of the longest statement; a longer one is not a single fact.
_LONGEST = 40
# The least share of the statements that frames must fit.
_LEAST_READ = 0.5


class Statement(NamedTuple):
    """A statement with its serial number.

    Its ``words`` lack the full stop. Possessive endings, commas and semicolons are words of their
    own.
    """

    serial: int
    text: str
    words: tuple[str, ...]


class BookFact(NamedTuple):
    """What a statement says: a name, its partner, and the relation between them.

    ``keys`` are the forms in which both names are compared.
    """

    serial: int
    relation: int
    names: tuple[str, str]
    keys: tuple[str, str]
    text: str


class Hop(NamedTuple):
    """A step along a relation, from the name that it is about to the other, or ``back``."""

    relation: int
    back: bool

    @property
    def end(self) -> int:
        """Which of the two names of a fact the hop leads to."""
        return 0 if self.back else 1


class FactBook:
    """Facts by the name, and by the hop, from which they start.

    Attributes:
        relations: the frame of each relation; facts and hops name relations by their number.
        facts: all facts, in the order of their serial numbers.
    """

    def __init__(self, relations: Sequence[Frame], facts: Iterable[BookFact]) -> None:
        self.relations = relations
        self.facts = tuple(sorted(facts))
        self._from: defaultdict[str, dict[Hop, list[BookFact]]] = defaultdict(dict)
        for fact in self.facts:
            first, second = fact.keys
            onward, back = Hop(fact.relation, back=False), Hop(fact.relation, back=True)
            self._from[first].setdefault(onward, []).append(fact)
            self._from[second].setdefault(back, []).append(fact)

    def names(self) -> Iterable[str]:
        """Return the keys of all names."""
        return self._from.keys()

    def hops(self, key: str) -> Mapping[Hop, Sequence[BookFact]]:
        """Return the hops from a name, with the facts that each can follow, the newest last."""
        return self._from.get(key, {})


def statements_in(text: str) -> list[Statement]:
    """Return the items of the numbered list in a text, in order; empty if there is none.

    A number with a full stop begins an item if it continues the list, or if the next such number
    continues from it: parts may be missing or out of order. Line breaks may have been lost.
    """
    statements = []
    marks = _marks(text)
    for mark, following in zip_longest(marks, marks[1:]):
        end = following.start() if following else len(text)
        body = " ".join(text[mark.end() : end].split())
        if body:
            words = _TOKEN.findall(body.removesuffix("."))
            statements.append(Statement(int(mark[1]), body, tuple(words)))
    return statements


def first_number(text: str) -> int | None:
    """Return the number of the first statement in a text; None if it has none."""
    return next((int(mark[1]) for mark in _marks(text)), None)


def _marks(text: str) -> list[re.Match[str]]:
    """Return the numbers that begin the items of a numbered list."""
    candidates = list(_MARK.finditer(text))
    marks: list[re.Match[str]] = []
    expected = None
    for mark, following in zip_longest(candidates, candidates[1:]):
        number = int(mark[1])
        is_continued = following is not None and int(following[1]) == number + 1
        if number == expected or is_continued:
            marks.append(mark)
            expected = number + 1
    return marks if len(marks) >= _FEWEST else []


def read_book(statements: Sequence[Statement]) -> FactBook | None:
    """Read statements into a book; None if they are not short facts of recurring kinds."""
    short = [statement for statement in statements if len(statement.words) <= _LONGEST]
    frames = FrameIndex(learn_frames([statement.words for statement in short]))
    read: list[tuple[Statement, Reading]] = []
    for statement in short:
        reading = frames.reading(statement.words)
        if reading:
            read.append((statement, reading))
    if len(read) < max(_FEWEST, _LEAST_READ * len(statements)):
        return None
    uses = Counter(reading.frame for _, reading in read)
    relations = [frame for frame, _ in uses.most_common()]
    number_of = {frame: number for number, frame in enumerate(relations)}
    facts = (_fact(statement, reading, number_of[reading.frame]) for statement, reading in read)
    return FactBook(relations, facts)


def _fact(statement: Statement, reading: Reading, relation: int) -> BookFact:
    """Return what a statement says, with the name that it is about first."""
    name, partner = _joined(reading.first), _joined(reading.second)
    if key_slot(reading.frame) == 1:
        name, partner = partner, name
    return BookFact(
        serial=statement.serial,
        relation=relation,
        names=(name, partner),
        keys=(_name_key(name), _name_key(partner)),
        text=statement.text,
    )


def _joined(words: tuple[str, ...]) -> str:
    """Join words as they were written: without a space before a comma or a possessive ending."""
    return re.sub(r" (?=[,;](?!\S)|['\u2019]s(?!\w))", "", " ".join(words))


def _name_key(name: str) -> str:
    """Return the form in which names are compared: no case, accents, marks or leading article."""
    plain = name if name.isascii() else without_accents(name)
    words = tokens(plain)
    if len(words) > 1 and words[0] == "the":
        words = words[1:]
    return " ".join(words) or name.lower()


def without_accents(text: str) -> str:
    """Return a text with plain letters in place of letters with accents."""
    letters = unicodedata.normalize("NFKD", text)
    return "".join(letter for letter in letters if not unicodedata.combining(letter))
