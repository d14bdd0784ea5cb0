"""What kind of thing a gold is, which tells what may be its rival."""

from __future__ import annotations

import re
from enum import Enum
from itertools import takewhile

from mabench.scoring.lexicon import pattern, remembered, words
from mabench.scoring.sameness.wordings import is_small, wanted_tokens
from mabench.scoring.tokens import Token, plain, tokens
from mabench.text.stems import stem

_MOST_WORDS = 3  # Words of a number with what it counts.
_YEAR = re.compile(r"\d{4}|\d{3,4}s")


class GoldKind(Enum):
    """What kind of thing a gold is."""

    NAME = "name"  # Rome, Ann Hale: another name is a rival.
    NUMBER = "number"  # Five, 3.5 months: another number is one.
    DATE = "date"  # 5 May 2023, 1932, the 10th century: another time is one.
    TERM = "term"  # Curling, of the question "which sport": another sport is one.
    WORDS = "words"  # Anything else: there are no rivals that rules can know.


@remembered(2048)
def kind_of(gold: str, question: str) -> GoldKind:
    """Return what kind of thing a gold is, by its form and by what the question asks for.

    A single word with a capital is a name only where the question asks for one: it may open the
    gold as a sentence.
    """
    said = [token for token in wanted_tokens(gold) if not is_small(token.word)]
    said = said or [*wanted_tokens(gold)]
    if not said:
        return GoldKind.WORDS
    if is_date(said):
        return GoldKind.DATE
    counted = [*takewhile(lambda token: token.word != "per", said)]  # 92 kilometres per hour.
    if said[0].raw[0].isdigit() and len(counted) <= _MOST_WORDS:
        return GoldKind.NUMBER
    if all(token.is_name for token in said):
        return GoldKind.NAME if len(said) > 1 or _asks_name(question, gold) else GoldKind.WORDS
    if question and _names_what_is_asked(said, question):
        return GoldKind.NAME
    if len(said) <= _MOST_WORDS and pattern(r"\b(?:%s)\b", "kinds.terms").search(question):
        return GoldKind.TERM
    return GoldKind.WORDS


def _names_what_is_asked(said: list[Token], question: str) -> bool:
    """Return whether words are names beside what the question says: ``Mario and Zelda games``."""
    asked = {stem(token.word) for token in tokens(plain(question))}
    names = [token for token in said if stem(token.word) not in asked]
    return len(names) > 1 and all(token.is_name for token in names)


def is_date(said: list[Token]) -> bool:
    """Return whether words are a month, a year or the like, and nothing else but numbers."""
    named, parts = words("times.months", "times.weekdays", "times.eras"), words("times.parts")
    has_point = False
    for token in said:
        if token.word in named or _YEAR.fullmatch(token.word):
            has_point = True
        elif token.word not in parts and not token.raw[0].isdigit():
            return False
    return has_point


def _asks_name(question: str, gold: str) -> bool:
    """Return whether a word with a capital is a name: where the question asks for one, if known.

    In a gold that begins with a small letter, a capital opens no sentence.
    """
    if not question or gold.strip()[:1].islower():
        return True
    asked = plain(question)
    of_persons = pattern(r"\b(?:%s|%s|%s)\b", "names.person", "names.relatives", "kinds.names")
    return bool(of_persons.search(asked))
