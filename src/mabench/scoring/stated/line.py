"""A text as a line of signs, and what is left of it when values are taken back.

In a line each sign is one character (``Sign.value``), so that patterns over signs are regular
expressions; places are those of signs in the line. Values are the gold and its rivals.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

from mabench.scoring.stated.signs import FoundSign, Sign, signs

_SENTENCE = signs("OTHER_THAN(STOP)* STOP?")
# What ends a clause. Brackets around nothing but a citation do not.
_END_OF_CLAUSE = signs(
    """
    STOP | BUT | CONCESSION | REASON | COMMA | DASH | WHO
    | OPEN (?! CITATION+ CLOSE)
    | (?<! OPEN CITATION) CLOSE
    | AND (?= PLAIN | CONCESSION | NOT | NEWER | CITATION)
    """
)
_VALUE = signs("VALUE")
# What is before a comma that ends no clause: "Per fact 9, Rome".
_NOTHING_BUT_CITED = signs("(NEWER | CITATION)+")
_SAYS_MORE = signs("WORD | VALUE ANY* COLON")
# A value and another name of it, up to where the next clause begins: "Rome, known as".
_APPOSITION = signs("(?: VALUE | DENIED | PAST ) COMMA ALIAS FINISH")
# The focus of a clause, which is how far it takes up the question: by a word by which that asks, by
# another word of it, or as a bare value that may be the answer; and more if it has a name of it.
ASKING = 3.0
ON_TOPIC = 1.0
BARE_VALUE = 1.5
_MORE_WITH_NAME = 0.25
_MOST_VALUES = 4  # That a mere answer names.
# Signs of the words that a clause is compared by with another one.
_COMPARED_SIGNS = frozenset({Sign.TOPIC, Sign.NAME, Sign.ASKED, Sign.WORD})
_BEFORE_OPENING = frozenset(
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
    focus: float  # From 0 to 3.25.


@dataclass(frozen=True)
class SignLine:
    """The signs of a text in order, and what decisions need to know of its question and gold."""

    items: tuple[FoundSign, ...]
    # Whether the question asks for something of something else: "the mother of the author of".
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
        """Return a line that has another sign in some places."""
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
        return len({item.said for item in self.items if item.sign in taken}) > _MOST_VALUES


def _clauses(line: SignLine) -> Iterator[Clause]:
    """Yield the clauses of a line that state values; before a colon, none is stated."""
    text, start, depth = line.signs, 0, 0
    bounds = [bound.start() for bound in _END_OF_CLAUSE.finditer(text)]
    for end in [*bounds, len(text)]:
        part, bound = text[start:end], text[end : end + 1]
        if _NOTHING_BUT_CITED.fullmatch(part) and bound == Sign.COMMA.value:
            continue
        colon = part.find(Sign.COLON.value)
        values = "".join(_VALUE.findall(part[max(colon, 0) :]))
        if values:
            yield Clause(
                start,
                end,
                signs=part,
                values=values,
                words=Counter(
                    item.said for item in line.items[start:end] if item.sign in _COMPARED_SIGNS
                ),
                is_aside=depth > 0 or _APPOSITION.search(text[: start + 1]) is not None,
                focus=_find_focus(line, start, end),
            )
        if bound == Sign.OPEN.value:
            depth += 1
        elif bound == Sign.CLOSE.value:
            depth -= 1
        # "And" and "who" belong to the clause that they begin.
        begins_clause = bound in (Sign.AND.value, Sign.WHO.value)
        start = end if begins_clause else end + 1


def _find_focus(line: SignLine, start: int, end: int) -> float:
    """Return how far the clause between two places takes up the question.

    One that begins with ``is`` goes on with what its sentence says before. One that opens a
    sentence, a list or brackets and has nothing but a value may be a whole answer.
    """
    part = line.signs[start:end]
    sentence_start = line.signs.rfind(Sign.END.value, 0, start) + 1
    sentence = line.signs[sentence_start:end]
    said = sentence if part[0] == Sign.IS.value else part
    opens = start == 0 or line.items[start - 1].sign in _BEFORE_OPENING
    if Sign.ASKED.value in said:
        focus = ASKING
    elif Sign.TOPIC.value in said:
        focus = ON_TOPIC
    else:
        focus = BARE_VALUE if opens and not _SAYS_MORE.search(part) else 0.0
    return focus + _MORE_WITH_NAME if Sign.NAME.value in part else focus


def places_of(match: re.Match[str], group: str, wanted: Sequence[Sign]) -> list[int]:
    """Return the places of signs within a group of a match."""
    characters = {sign.value for sign in wanted}
    start, end = match.span(group)
    return [place for place in range(start, end) if match.string[place] in characters]
