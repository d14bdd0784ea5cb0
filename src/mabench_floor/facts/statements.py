"""The numbered statements of a text, and their words."""

from __future__ import annotations

import re
from itertools import zip_longest
from typing import NamedTuple

_MARK = re.compile(r"(?<!\S)(\d{1,9})\.\s+")
_FEWEST = 3
# A word; a possessive ending and a comma stand alone, so that a name can end before them.
_TOKEN = re.compile(r"['\u2019]s(?!\w)|[,;](?!\S)|[^\s]+?(?=['\u2019]s(?!\w)|[,;](?!\S)|\s|$)")


class Statement(NamedTuple):
    """A statement with its serial number; ``words`` are the tokens of its text."""

    serial: int
    text: str
    words: tuple[str, ...]


def statements_in(text: str) -> list[Statement]:
    """Return the items of the numbered list that ``text`` holds, in order; none if it has none.

    A number with a full stop opens an item when it continues the list, or when the next such
    number continues from it (parts may be missing or out of order). Line breaks may have been
    lost.
    """
    marks = _marks(text)
    ends = [*(mark.start() for mark in marks), len(text)][1:]
    items = [
        (int(mark[1]), " ".join(text[mark.end() : end].split()))
        for mark, end in zip(marks, ends, strict=True)
    ]
    return [Statement(serial, body, tokens(body)) for serial, body in items if body]


def first_number(text: str) -> int | None:
    """Return the number of the first statement in ``text``; None when it has none."""
    return next((int(mark[1]) for mark in _marks(text)), None)


def tokens(text: str) -> tuple[str, ...]:
    """Return the words of a sentence without its full stop.

    Possessive endings, commas and semicolons are tokens of their own.
    """
    return tuple(_TOKEN.findall(text.removesuffix(".")))


def joined(words: tuple[str, ...]) -> str:
    """Write tokens as they stood in the text."""
    return re.sub(r" (?=[,;](?!\S)|['\u2019]s(?!\w))", "", " ".join(words))


def _marks(text: str) -> list[re.Match[str]]:
    found = list(_MARK.finditer(text))
    marks: list[re.Match[str]] = []
    expected = None
    for mark, following in zip_longest(found, found[1:]):
        number = int(mark[1])
        if number == expected or (following and int(following[1]) == number + 1):
            marks.append(mark)
            expected = number + 1
    return marks if len(marks) >= _FEWEST else []
