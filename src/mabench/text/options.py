"""The options that a question offers, listed by letter or as a list literal, and literals."""

from __future__ import annotations

import ast
import re
import warnings
from typing import NamedTuple

_LETTERED = re.compile(r"^[ \t]*\(?([A-Z])[.):][ \t]*(\S.*)$", re.MULTILINE)
_LIST_LINE = re.compile(r"^[ \t]*(\[.*\])[ \t]*$", re.MULTILINE)
_LONGEST_LIST = 100_000


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
