"""Reads the options that a question offers: lettered lines, or a list of strings."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from typing import NamedTuple

from mabench.text.literals import read_literal

_LETTERED = re.compile(r"^[ \t]*\(?([A-Z])[.):][ \t]*(\S.*)$", re.MULTILINE)
_LIST_LINE = re.compile(r"^[ \t]*(\[.*\])[ \t]*$", re.MULTILINE)
_LONGEST_LIST = 100_000


# How answers name a letter. An article is none, so no lower-case word may follow a bare one.
_NAMED = re.compile(
    r"\((?P<bracketed>[A-Za-z])\)|^\W{0,3}(?P<leading>[A-Z])[.):]"
    r"|\b(?:[Aa]nswer|[Oo]ption|[Cc]hoice)(?: is)?:?\s+\W{0,3}"
    r"(?P<announced>[A-Z])\b(?!['\u2019]|\s+[a-z])",
    re.MULTILINE,
)
_SIGNS = " \t\n.:()*\"'"


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
    lines = _lettered_lines(question)
    return tuple(_option_in(line) for line in lines) if len(lines) > 1 else ()


def right_option(golds: Sequence[str], options: Sequence[Option]) -> int | None:
    """Return the place, from 0, of the one option that golds are, by letter, text or both.

    None where they are none, or several.
    """
    forms = [{one.letter, one.text, f"{one.letter}. {one.text}"} for one in options]
    places = [place for place, own in enumerate(forms) if not own.isdisjoint(golds)]
    return places[0] if len(places) == 1 else None


def chosen_option(answer: str, options: Sequence[Option]) -> int | None:
    """Return the place, from 0, of the lettered option that an answer is or alone names.

    An answer is an option by its letter, its text or both; it names one by its letter. None for any
    other answer: this tells which letter was chosen, and not what is right.
    """
    said = answer.strip(_SIGNS).casefold()
    for place, (letter, text) in enumerate(options):
        forms = (letter or "", f"{letter}. {text}", text)
        if said and said in [form.strip(_SIGNS).casefold() for form in forms]:
            return place
    named = {(match[match.lastgroup or 0]).upper() for match in _NAMED.finditer(answer)}
    places = [place for place, option in enumerate(options) if option.letter in named]
    return places[0] if len(named) == len(places) == 1 else None


def shuffle_options(question: str, golds: Sequence[str], seed: int) -> tuple[str, list[str]]:
    """Return a question with its lettered options in another order, and its golds for that.

    The order depends on the question and the seed alone. A gold may be a letter, a text, or both.
    A question without lettered options, or with another gold, stays as it is.
    """
    lines = _lettered_lines(question)
    options = [_option_in(line) for line in lines]
    known_golds: set[str | None] = set()
    for option in options:
        known_golds |= {option.letter, f"{option.letter}. {option.text}", option.text}
    if len(lines) < 2 or not known_golds.issuperset(golds):
        return question, list(golds)
    order = sorted(range(len(lines)), key=lambda place: _rank(seed, question, place))
    new_golds: dict[str, str] = {}  # By the old ones that change.
    shuffled = ""
    end = 0  # Up to here the question is copied.
    for place, moved_from in enumerate(order):
        line, text = lines[place], options[moved_from].text
        shuffled += question[end : line.start(2)] + text
        end = line.start(2) + len(options[place].text)
        old_letter, letter = lines[moved_from][1], line[1]
        new_golds[old_letter] = letter
        new_golds[f"{old_letter}. {text}"] = f"{letter}. {text}"
    return shuffled + question[end:], [new_golds.get(gold, gold) for gold in golds]


def _rank(seed: int, question: str, place: int) -> bytes:
    """Return what options are sorted by: it is random, but always the same."""
    return hashlib.sha256(f"{seed}\n{place}\n{question}".encode("utf-8", "replace")).digest()


def _option_in(line: re.Match[str]) -> Option:
    """Return the option on a lettered line."""
    return Option(line[1], line[2].rstrip(" \t"))


def _lettered_lines(question: str) -> list[re.Match[str]]:
    """Return the lines of the last block of successive letters from A."""
    block: list[re.Match[str]] = []
    for line in _LETTERED.finditer(question):
        if line[1] == "A":
            block = []
        if ord(line[1]) == ord("A") + len(block):
            block.append(line)
    return block
