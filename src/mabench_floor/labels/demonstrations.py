"""Labelled demonstrations in a text: texts that are each followed by a name and a value."""

from __future__ import annotations

import re
from collections import Counter
from typing import NamedTuple

_NAME = re.compile(r"(?<!\S)([^\W\d]\w{0,20}):[ \t]*(?=\S)")
_FEWEST = 8
_LONGEST_VALUE = 4  # Words of a value; a line with more is no value alone.
_LONGEST_TEXT = 100  # Words of the text of a demonstration, as a rule.
_MOSTLY = 0.9
_RECUR = 0.5  # The most different values, as a share of the demonstrations.


class Demonstration(NamedTuple):
    """A text and the value of its label."""

    text: str
    value: str


def demonstrations_in(text: str) -> list[Demonstration]:
    """Return the demonstrations that ``text`` consists of; none when it does not.

    The name of the label is the one that stands before a colon most often, and its values
    recur. A value ends with its line; where line breaks were lost it is a number.
    """
    names = Counter(_NAME.findall(text)).most_common(1)
    if not names or names[0][1] < _FEWEST:
        return []
    label = re.compile(rf"(?<!\S){names[0][0]}:[ \t]*(?=\S)")
    first, *pieces = label.split(text)
    parts = [_value_and_next(piece) for piece in pieces]
    texts = [first, *(following for _, following in parts)]
    shown = [
        Demonstration(" ".join(body.split()), value)
        for body, (value, _) in zip(texts, parts, strict=False)
        if value and body.strip()
    ]
    return shown if _are_demonstrations(shown, len(parts)) else []


def _value_and_next(piece: str) -> tuple[str, str]:
    """Cut what follows the name of a label into its value and the next demonstration's text."""
    line, _, following = piece.partition("\n")
    if len(line.split()) <= _LONGEST_VALUE:
        return line.strip(), following
    value, _, following = piece.partition(" ")
    return (value, following) if value.isdigit() else ("", piece)


def _are_demonstrations(shown: list[Demonstration], labels: int) -> bool:
    """Say whether nearly all labels have a short text and a value, and the values recur."""
    short = sum(len(one.text.split()) <= _LONGEST_TEXT for one in shown)
    values = len({one.value for one in shown})
    return short >= _MOSTLY * labels and values <= _RECUR * len(shown)
