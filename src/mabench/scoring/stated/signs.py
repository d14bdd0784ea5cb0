"""The signs that a text is read as: one for each value, and for each word that bears on the choice.

``Fact 3 says Rome and fact 9 Paris, of which the latter is newer.`` is read as ``CITATION GOLD AND
CITATION RIVAL COMMA WHO RIVAL_AGAIN NEWER END`` if Rome is the gold. Function words have no sign.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from enum import Enum
from functools import cache
from typing import NamedTuple


class Sign(Enum):
    """A sign, and the one character that stands for it in a pattern."""

    # Values.
    GOLD = "G"  # The gold.
    RIVAL = "R"  # Another value of its kind.
    GOLD_AGAIN = "g"  # What refers to the gold: by its number, or as the former or latter.
    RIVAL_AGAIN = "r"
    DENIED = "d"  # A value that is taken back: "not Rome".
    PAST = "p"  # A value that was so once: "formerly Rome".
    ASIDE = "a"  # A value in a reason, or in a question that the text asks itself.
    # Other words.
    ASKED = "Q"  # A word by which the question asks.
    TOPIC = "t"  # Another word of the question.
    NAME = "n"  # A name in the question.
    WORD = "w"  # Any other word with content.
    CITATION = "#"  # What is cited: "fact 9", "in one place".
    # Words that bear on the choice; ``signs.toml`` has them.
    NOT = "!"
    WRONG = "x"
    NEWER = "+"
    OLDER = "-"
    OUTLASTS = ">"  # The value before it holds: "supersedes".
    GIVES_WAY = "<"  # The value behind it holds: "was replaced by".
    CONCLUSION = "c"
    CORRECTION = "z"
    CONCESSION = "k"  # "Although", "people say".
    BUT = "b"
    REASON = "y"
    WHO = "h"  # "Who", "which".
    CLASH = "v"  # "Conflicting", "two answers".
    UNDECIDED = "u"  # "I cannot say which".
    BOTH = "j"
    FORMER = "1"
    LATTER = "2"
    ALIAS = "~"  # Another name follows: "known as".
    AND = "&"
    OR = "/"
    IS = "="
    # Punctuation.
    COMMA = ","
    SEMICOLON = ";"
    COLON = ":"
    DASH = "_"
    OPEN = "("
    CLOSE = ")"
    END = "."
    QUESTION_MARK = "?"
    NOTHING = " "  # Words that would bear on the choice, were they not part of a phrase.


class FoundSign(NamedTuple):
    """A sign, where it is in the text, and what is said there."""

    sign: Sign
    start: int
    end: int
    said: str = ""


# What patterns call several signs by.
GROUPS = {
    "VALUE": (Sign.GOLD, Sign.RIVAL),
    "AGAIN": (Sign.GOLD_AGAIN, Sign.RIVAL_AGAIN),
    "PLAIN": (Sign.ASKED, Sign.TOPIC, Sign.NAME, Sign.WORD, Sign.IS),
    "QUESTION_WORD": (Sign.ASKED, Sign.TOPIC, Sign.NAME),
    "STOP": (Sign.END, Sign.SEMICOLON, Sign.QUESTION_MARK),
    "LISTING": (Sign.COMMA, Sign.AND, Sign.OR),
}
_PLACES = {"ANY": ".", "START": r"\A", "FINISH": r"\Z"}
_NAME = re.compile(r"OTHER_THAN\((?P<others>[A-Z_|]+)\)|\b[A-Z][A-Z_]+\b")


@cache
def signs(pattern: str) -> re.Pattern[str]:
    """Return a pattern of signs that is written by their names, in verbose form.

    ``NOT PLAIN* (?P<value> VALUE)`` finds a value behind a negation. ``OTHER_THAN(A|B)`` is any
    sign but those, ``ANY`` is any sign, and ``START`` and ``FINISH`` are the ends of the line.
    """
    return re.compile(_NAME.sub(_write_sign, pattern), re.VERBOSE)


def _write_sign(name: re.Match[str]) -> str:
    """Return the part of a pattern that finds the sign, or the place, of a name."""
    if name["others"] is not None:
        return f"[^{_characters(name['others'].split('|'))}]"
    return _PLACES.get(name[0]) or f"[{_characters([name[0]])}]"


def _characters(names: Iterable[str]) -> str:
    """Return the characters of the signs and groups of some names, for a set of a pattern."""
    found = (sign for name in names for sign in GROUPS.get(name) or (Sign[name],))
    return "".join(re.escape(sign.value) for sign in found)
