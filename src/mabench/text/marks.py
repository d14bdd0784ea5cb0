"""The options that a question offers, where answers stand in a text, and literals."""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Sequence
from itertools import islice
from typing import NamedTuple

# Where something begins in a text, and where it ends.
Span = tuple[int, int]

_WORD = re.compile(r"\w+")
_LONGEST = 1000  # Words of an answer; one that is a book is not looked for.
# Between the words of an answer there may be signs and a line break, but no other word.
_BETWEEN = r"\W{1,5}"
_LETTERED = re.compile(r"^[ \t]*\(?([A-Z])[.):][ \t]*(\S.*)$", re.MULTILINE)
_LIST_LINE = re.compile(r"^[ \t]*(\[.*\])[ \t]*$", re.MULTILINE)
_LONGEST_LIST = 100_000


def spans(text: str, answers: Sequence[str], most: int = 20) -> list[Span]:
    """Return where answers stand in a text, from left to right, without overlaps.

    Words are compared without regard to case and to the signs between them. What the scoring
    rules find beyond that, such as a number written otherwise, has no place here. Of each answer
    the first places are found, ``most`` at most; one of more than 1,000 words is not looked for.
    """
    matches: list[Span] = []
    for answer in answers:
        words = _WORD.findall(answer)
        if 0 < len(words) <= _LONGEST:
            phrase = _BETWEEN.join(map(re.escape, words))
            places = re.finditer(rf"(?<!\w){phrase}(?!\w)", text, re.IGNORECASE)
            matches += [place.span() for place in islice(places, most)]
    apart: list[Span] = []
    for start, end in sorted(matches, key=lambda span: (span[0], -span[1])):
        if not apart or start >= apart[-1][1]:
            apart.append((start, end))
    return apart


def excerpt(text: str, marks: Sequence[Span], around: int) -> tuple[str, list[Span]]:
    """Return a text cut to the characters ``around`` its first mark, and the marks in that.

    Without any mark that is its beginning.
    """
    start, end = marks[0] if marks else (0, 0)
    first, last = max(0, start - around), min(len(text), end + around + (0 if marks else around))
    before, after = "…" if first else "", "…" if last < len(text) else ""
    shift = len(before) - first
    inside = [(a + shift, b + shift) for a, b in marks if first <= a and b <= last]
    return f"{before}{text[first:last]}{after}", inside


class Option(NamedTuple):
    """One option: its letter, or None when the options carry no letters, and its text."""

    letter: str | None
    text: str


def options_in(question: str) -> tuple[Option, ...]:
    """Return the options that ``question`` offers, in order; empty when it offers none.

    Two forms are read: a line that is a Python list literal of at least two strings, and
    consecutive lettered lines (``A. ...``, ``B) ...``) that start at A. Where a question holds
    several blocks (a worked example before the question proper) the last one counts.
    """
    for line in reversed(_LIST_LINE.findall(question)):
        value = literal(line, _LONGEST_LIST)
        if isinstance(value, list) and len(value) > 1 and all(isinstance(v, str) for v in value):
            return tuple(Option(None, text) for text in value)
    block: list[Option] = []
    for letter, text in _LETTERED.findall(question):
        if letter == "A":
            block = []
        if ord(letter) == ord("A") + len(block):
            block.append(Option(letter, text.rstrip(" \t")))
    return tuple(block) if len(block) > 1 else ()


def literal(text: str, longest: int) -> object:
    """Return the value of the Python literal that ``text`` is, or None when it is none.

    Text longer than ``longest`` characters is not parsed. Escapes that Python warns of are
    read in silence: the text is data, and its writer cannot act on a warning.
    """
    if len(text) > longest:
        return None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.literal_eval(text)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return None
