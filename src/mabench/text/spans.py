"""Finds answers in a text, and cuts out the text around them.

Only the words of an answer are looked for. What the scoring rules accept beyond them, such as a
number in another notation, must not be.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import islice

# The start and the end of something in a text.
Span = tuple[int, int]

_WORD = re.compile(r"\w+")
# Words of the longest answer that is looked for.
_LONGEST = 1000
# Between the words of an answer there may be signs and a line break, but no other words.
_BETWEEN = r"\W{1,5}"


def find_spans(text: str, answers: Sequence[str], most: int = 20) -> list[Span]:
    """Return the places of answers in a text, from left to right and without overlaps.

    Case, and the signs between words, do not matter. At most ``most`` places of each answer are
    found. Answers of more than 1,000 words are not looked for.
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


def cut_excerpt(text: str, marks: Sequence[Span], around: int) -> tuple[str, list[Span]]:
    """Return an excerpt of a text around its first mark, and the places of the marks in it.

    ``around`` is the number of characters on each side. Without marks, the excerpt is the beginning
    of the text, of twice that length.
    """
    if marks:
        first_start, first_end = marks[0]
        begin, stop = max(0, first_start - around), min(len(text), first_end + around)
    else:
        begin, stop = 0, min(len(text), 2 * around)
    before = "…" if begin > 0 else ""
    after = "…" if stop < len(text) else ""
    shift = len(before) - begin  # From a place in the text to the same place in the excerpt.
    inside = [
        (start + shift, end + shift) for start, end in marks if begin <= start and end <= stop
    ]
    return f"{before}{text[begin:stop]}{after}", inside
