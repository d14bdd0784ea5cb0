"""A text as a line of signs, and what is left of it when values are taken back."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

from mabench.scoring.stated.signs import FoundSign, Sign, signs

_SENTENCE = signs("OTHER_THAN(STOP)* STOP?")
_BOUND = signs(
    """
    STOP | BUT | CONCESSION | REASON | COMMA | DASH | WHO
    | OPEN (?! CITATION+ CLOSE)
    | (?<! OPEN CITATION) CLOSE
    | AND (?= PLAIN | CONCESSION | NOT | NEWER | CITATION)
    """
)
_VALUE = signs("VALUE")
_CITED_FIRST = signs("(NEWER | CITATION)+")
_BARE = signs("WORD | VALUE ANY* COLON")
_APPOSITION = signs("(?: VALUE | DENIED | PAST ) COMMA ALIAS FINISH")
_FRAME = frozenset({Sign.TOPIC, Sign.NAME, Sign.ASKED, Sign.WORD})
_OPENING = frozenset(
    {Sign.END, Sign.SEMICOLON, Sign.QUESTION_MARK, Sign.COLON, Sign.DASH, Sign.OPEN}
)


class Clause(NamedTuple):
    """A clause that states values: where, its signs, and how far it takes up the question."""

    start: int
    end: int
    signs: str
    values: str
    words: Counter[str]  # Its other words.
    is_aside: bool  # In brackets.
    focus: float  # From 0 to 3.


@dataclass(frozen=True)
class SignLine:
    """The signs of a text in order; ``asks_several_steps`` is said of its question."""

    items: tuple[FoundSign, ...]
    asks_several_steps: bool = False
    is_negated: bool = False  # Whether the question asks for what is not so.
    names_gold: bool = True  # Whether the gold is a name.

    @cached_property
    def signs(self) -> str:
        """The characters of the signs."""
        return "".join(item.sign.value for item in self.items)

    @cached_property
    def sentences(self) -> tuple[tuple[int, int], ...]:
        """Where each sentence begins and ends."""
        found = (match.span() for match in _SENTENCE.finditer(self.signs))
        return tuple((start, end) for start, end in found if end > start)

    def values(self, start: int = 0, end: int | None = None) -> set[str]:
        """Return the characters of the values that are stated between two places."""
        return {*_VALUE.findall(self.signs[start:end])}

    def has(self, *wanted: Sign) -> bool:
        """Return whether one of some signs is in the line."""
        return any(sign.value in self.signs for sign in wanted)

    def with_sign(self, places: Iterable[int], sign: Sign) -> SignLine:
        """Return the line with another sign in some places."""
        items = list(self.items)
        for place in places:
            items[place] = items[place]._replace(sign=sign)
        return replace(self, items=tuple(items))

    @cached_property
    def clauses(self) -> tuple[Clause, ...]:
        """The clauses that state values."""
        return tuple(_clauses(self))

    @property
    def is_passage(self) -> bool:
        """Whether it names so many values that it is no mere answer."""
        taken = {Sign.GOLD, Sign.RIVAL, Sign.DENIED, Sign.PAST}
        return len({item.said for item in self.items if item.sign in taken}) > _FEW


_FEW = 4


def _clauses(line: SignLine) -> Iterator[Clause]:
    text, start, depth = line.signs, 0, 0
    for end in [*(m.start() for m in _BOUND.finditer(text)), len(text)]:
        part, mark = text[start:end], text[end : end + 1]
        if _CITED_FIRST.fullmatch(part) and mark == Sign.COMMA.value:
            continue  # "Per fact 9, Rome"
        colon = part.find(Sign.COLON.value)
        values = "".join(_VALUE.findall(part[max(colon, 0) :]))
        if values:
            words = Counter(i.said for i in line.items[start:end] if i.sign in _FRAME)
            opens = start == 0 or line.items[start - 1].sign in _OPENING
            sentence = text[text.rfind(Sign.END.value, 0, start) + 1 : end]
            focus = _focus(sentence if part[0] == Sign.IS.value else part)
            is_bare = opens and not _BARE.search(part)
            focus = (1.5 if is_bare and not focus else focus) + (Sign.NAME.value in part) / 4
            is_aside = depth > 0 or _APPOSITION.search(text[: start + 1]) is not None
            yield Clause(start, end, part, values, words, is_aside, focus)
        depth += (mark == Sign.OPEN.value) - (mark == Sign.CLOSE.value)
        start = end + (mark not in {Sign.AND.value, Sign.WHO.value})


def _focus(part: str) -> float:
    return 3.0 if Sign.ASKED.value in part else 1.0 if Sign.TOPIC.value in part else 0.0


def places_of(match: re.Match[str], group: str, wanted: Sequence[Sign]) -> list[int]:
    """Return the places of signs within a group of a match."""
    characters = {sign.value for sign in wanted}
    start, end = match.span(group)
    return [place for place in range(start, end) if match.string[place] in characters]
