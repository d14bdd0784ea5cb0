"""The book: what each statement says of which name, the newest last."""

from __future__ import annotations

import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from mabench.text.stems import tokens
from mabench_floor.facts.frames import Frame, FrameIndex
from mabench_floor.facts.learning import learn_frames
from mabench_floor.facts.relations import Group, relations_of
from mabench_floor.facts.statements import Statement, joined

_FEWEST = 3
_LONGEST = 40  # Words of a statement; what is longer is no single fact.
_LEAST_READ = 0.5  # The least share of the statements that frames must read.


class Fact(NamedTuple):
    """A statement as read: the name that it is about, and its partner in the relation.

    ``keys`` are the forms of both names in which they are compared.
    """

    serial: int
    relation: int
    names: tuple[str, str]
    keys: tuple[str, str]
    text: str


class Hop(NamedTuple):
    """A relation, followed from the name that it is about or ``back`` to it."""

    relation: int
    back: bool

    @property
    def end(self) -> int:
        """Which of a fact's two names the hop leads to."""
        return 0 if self.back else 1


class FactBook:
    """Facts by the name and the hop that start from them.

    Attributes:
        relations: the frames of each relation, which facts and hops name by number.
        facts: all facts, in the order of their serial numbers.
    """

    def __init__(self, relations: Sequence[Group], facts: Iterable[Fact]) -> None:
        self.relations = relations
        self.facts = tuple(sorted(facts))
        self._from: defaultdict[str, dict[Hop, list[Fact]]] = defaultdict(dict)
        for fact in self.facts:
            for end, key in enumerate(fact.keys):
                hop = Hop(fact.relation, back=end == 1)
                self._from[key].setdefault(hop, []).append(fact)

    def names(self) -> Iterable[str]:
        """Return the keys of all names."""
        return self._from.keys()

    def hops(self, key: str) -> Mapping[Hop, Sequence[Fact]]:
        """Return the hops from a name and the facts that they can follow, the newest last."""
        return self._from.get(key, {})


class _Read(NamedTuple):
    """A statement as its frame reads it."""

    statement: Statement
    frame: Frame
    names: tuple[str, str]
    keys: tuple[str, str]


def read_book(statements: Sequence[Statement]) -> FactBook | None:
    """Read statements into a book; None when they are no short facts of recurring kinds."""
    read = _read([one for one in statements if len(one.words) <= _LONGEST])
    if len(read) < max(_FEWEST, _LEAST_READ * len(statements)):
        return None
    pairs: defaultdict[Frame, list[tuple[str, str]]] = defaultdict(list)
    for item in read:
        pairs[item.frame].append(item.keys)
    relations = relations_of(pairs)
    places = {
        member.frame: (number, member.turned)
        for number, group in enumerate(relations)
        for member in group
    }
    return FactBook(relations, (_fact(item, *places[item.frame]) for item in read))


def _read(statements: Sequence[Statement]) -> list[_Read]:
    frames = FrameIndex(learn_frames([statement.words for statement in statements]))
    read = []
    for statement in statements:
        reading = frames.reading(statement.words)
        if reading:
            names = joined(reading.first), joined(reading.second)
            keys = name_key(names[0]), name_key(names[1])
            read.append(_Read(statement, reading.frame, names, keys))
    return read


def _fact(read: _Read, relation: int, turned: bool) -> Fact:
    serial, text, _ = read.statement
    names, keys = read.names, read.keys
    if turned:
        names, keys = (names[1], names[0]), (keys[1], keys[0])
    return Fact(serial, relation, names, keys, text)


def name_key(name: str) -> str:
    """Return the form in which names are compared: no case, accents, marks or leading article."""
    plain = name if name.isascii() else without_accents(name)
    words = tokens(plain)
    if len(words) > 1 and words[0] == "the":
        words = words[1:]
    return " ".join(words) or name.lower()


def without_accents(text: str) -> str:
    """Return ``text`` with letters that carry accents replaced by those that do not."""
    letters = unicodedata.normalize("NFKD", text)
    return "".join(letter for letter in letters if not unicodedata.combining(letter))
