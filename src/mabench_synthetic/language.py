"""The language of made-up text: its wordings, its English forms, and the length of texts.

Wordings are in ``wordings/*.toml``, as blocks with a name. Rows must be the same wherever they are
made, so their length in o200k_base tokens is estimated without a tokenizer: English words are
nearly always single tokens, and an invented name is weighed by its letters. The weights are in
``lengths.json``, which ``make fit`` writes.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Sequence
from datetime import date, datetime
from functools import cache, lru_cache
from importlib.resources import files
from pathlib import Path
from typing import Any


def phrases(file: str, name: str) -> tuple[str, ...]:
    """Return the phrases of a block, separated by bars; a line break counts as a space."""
    return _phrases(_read(file)[name])


def words(file: str, name: str) -> tuple[str, ...]:
    """Return the words of a block, separated by white space."""
    return tuple(_read(file)[name].split())


def table(file: str, name: str) -> dict[str, tuple[str, ...]]:
    """Return the phrases of each entry of a block, by the name of the entry.

    An entry begins with a line with its name and a colon; indented lines continue it.
    """
    entries = (entry.partition(":") for entry in re.split(r"\n(?=\S)", _read(file)[name].strip()))
    return {entry: _phrases(text) for entry, _, text in entries}


def _phrases(block: str) -> tuple[str, ...]:
    """Return the phrases of a block between its bars, each on one line."""
    return tuple(" ".join(phrase.split()) for phrase in block.split("|"))


@cache
def _read(file: str) -> dict[str, str]:
    """Return the blocks of a file of wordings, by name."""
    text = files("mabench_synthetic").joinpath("wordings", f"{file}.toml")
    return tomllib.loads(text.read_text(encoding="utf-8"))


_MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September",
    "October", "November", "December",
)  # fmt: skip
_WEEKDAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
_SMALL = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")


def with_article(phrase: str) -> str:
    """Return a phrase after ``a`` or ``an``, depending on its first letter."""
    return ("an " if phrase[0].lower() in "aeiou" else "a ") + phrase


def sentence(text: str) -> str:
    """Return a text with its first letter as a capital, otherwise unchanged."""
    return text[:1].upper() + text[1:]


def listed(items: Sequence[str], conjunction: str = "and") -> str:
    """Join items as in running text: ``a``, ``a and b``, ``a, b and c``."""
    if len(items) < 2:
        return "".join(items)
    return f"{', '.join(items[:-1])} {conjunction} {items[-1]}"


def number_word(number: int) -> str:
    """Return a whole number from 0 as a word up to ten, else in digits."""
    return _SMALL[number] if number < len(_SMALL) else str(number)


def long_date(day: date) -> str:
    """Return a date as ``14 March 1821``."""
    return f"{day.day} {_MONTHS[day.month - 1]} {day.year}"


def month_first(day: date) -> str:
    """Return a date as ``March 14, 1821``."""
    return f"{_MONTHS[day.month - 1]} {day.day}, {day.year}"


def time_stamp(moment: datetime) -> str:
    """Return a time as ``2022/11/17 (Thu) 12:04``, whatever the locale."""
    weekday = _WEEKDAYS[moment.weekday()]
    return f"{moment.year}/{moment:%m/%d} ({weekday}) {moment:%H:%M}"


_PIECE = re.compile(r"[A-Z]?[a-z]+|[A-Z]+|[0-9]+|\n+|[^\w\s]+")
_SHORTEST_NAME = 6
_MOST_KEPT = 100_000
# What an invented name weighs, what each of its letters adds, and the rates of kinds of text.
FITTED: dict[str, Any] = json.loads(
    Path(__file__).with_name("lengths.json").read_text(encoding="utf-8")
)


def rate_of(kind: str) -> float:
    """Return the tokens of a row for each that ``tokens_of`` estimates, for a kind of texts.

    Kinds differ in punctuation, and in English words that look like names.
    """
    rate: float = FITTED["rates"][kind]
    return rate


def forget() -> None:
    """Forget all weights, after a change of ``FITTED``."""
    _word_weights.clear()
    _weight.cache_clear()


def tokens_of(text: str) -> float:
    """Estimate the tokens of a text, to be multiplied by the rate of its kind."""
    if "\n" in text:
        return sum(map(_weight, _PIECE.findall(text)))
    # No piece holds a space, so the pieces of a word are the same wherever it is.
    return sum(map(_word_weights.__getitem__, text.split()))


class _WordWeights(dict[str, float]):
    """The weights of words, which are cached."""

    def __missing__(self, word: str) -> float:
        weight = sum(map(_weight, _PIECE.findall(word)))
        if len(self) < _MOST_KEPT:
            self[word] = weight
        return weight


_word_weights = _WordWeights()


@lru_cache(_MOST_KEPT)
def _weight(piece: str) -> float:
    """Return the estimated tokens of a word, a number or a run of signs."""
    first = piece[0]
    if first.isupper() and len(piece) >= _SHORTEST_NAME:
        letters: dict[str, float] = FITTED["letters"]
        weight: float = FITTED["name"] + sum(letters.get(letter, 0.4) for letter in piece.lower())
        return weight
    if first.isalpha():
        return max(1.0, len(piece) / 9)
    if first.isdigit():
        return (len(piece) + 2) // 3
    return 0.8 if len(piece) == 1 else max(1.0, len(piece) / 2.5)
