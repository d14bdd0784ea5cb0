"""Where answers are in a text, and the text around them.

Only the words of an answer count here. Nothing that the scoring rules accept beyond them, such as a
number in another notation, may be looked for.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import islice

# Where something begins in a text, and where it ends.
Span = tuple[int, int]

_WORD = re.compile(r"\w+")
_LONGEST = 1000  # Words of an answer; one that is a book is not looked for.
# Between the words of an answer there may be signs and a line break, but no other word.
_BETWEEN = r"\W{1,5}"


def find_spans(text: str, answers: Sequence[str], most: int = 20) -> list[Span]:
    """Return where answers are in a text, from left to right, without overlaps.

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


def cut_excerpt(text: str, marks: Sequence[Span], around: int) -> tuple[str, list[Span]]:
    """Return a text cut to the characters ``around`` its first mark, and the marks in that.

    Without any mark that is its beginning.
    """
    start, end = marks[0] if marks else (0, 0)
    first, last = max(0, start - around), min(len(text), end + around + (0 if marks else around))
    before, after = "…" if first else "", "…" if last < len(text) else ""
    shift = len(before) - first
    inside = [(a + shift, b + shift) for a, b in marks if first <= a and b <= last]
    return f"{before}{text[first:last]}{after}", inside
