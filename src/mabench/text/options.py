"""Reads the options that a question offers: lettered lines, or a list of strings."""

from __future__ import annotations

import re
from typing import NamedTuple

from mabench.text.literals import read_literal

_LETTERED = re.compile(r"^[ \t]*\(?([A-Z])[.):][ \t]*(\S.*)$", re.MULTILINE)
_LIST_LINE = re.compile(r"^[ \t]*(\[.*\])[ \t]*$", re.MULTILINE)
_LONGEST_LIST = 100_000


class Option(NamedTuple):
    """One option; its letter is None if the options have no letters."""

    letter: str | None
    text: str


def parse_options(question: str) -> tuple[Option, ...]:
    """Return the options of a question, in order; empty if it offers none.

    Two forms are read: a line that is a Python list literal of at least two strings, and successive
    lettered lines (``A. ...``, ``B) ...``) from A. Of several blocks the last one counts, because a
    worked example may come first.
    """
    for line in reversed(_LIST_LINE.findall(question)):
        value = read_literal(line, _LONGEST_LIST)
        if isinstance(value, list) and len(value) > 1 and all(isinstance(v, str) for v in value):
            return tuple(Option(None, text) for text in value)
    block: list[Option] = []
    for letter, text in _LETTERED.findall(question):
        if letter == "A":
            block = []
        if ord(letter) == ord("A") + len(block):
            block.append(Option(letter, text.rstrip(" \t")))
    return tuple(block) if len(block) > 1 else ()
