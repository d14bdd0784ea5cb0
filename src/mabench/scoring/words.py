"""Words of a text such that spellings which a careful reader takes for the same are equal."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import cache, lru_cache
from typing import NamedTuple

from mabench.scoring.lexicon import entries

_LONGEST_KEPT = 1_000  # Characters of a text whose words are kept.
_ACCENT = re.compile("[\u0300-\u036f]")
_SAME = str.maketrans(
    # Apostrophes, hyphens and the minus sign; letters that do not decompose.
    dict.fromkeys("\u2018\u2019\u201a\u201b\u02bc\u2032`\u00b4", "'")
    | dict.fromkeys("\u2010\u2011\u2212", "-")
    | {"ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "æ": "ae", "œ": "oe", "\u0131": "i"}
    | {"&": " and "}
    # Invisible: soft hyphen, zero-width space and joiners, byte order mark.
    | dict.fromkeys("\u00ad\u200b\u200c\u200d\u2060\ufeff", None)
)
_UNGROUPED = str.maketrans("", "", ", '")
_GROUPS = r"\d{1,3}(?:,\d{3})+|\d{1,3}(?: \d{3})+|\d{1,3}(?:'\d{3})+|\d+"
_WORD = re.compile(
    rf"(?<![^\W_])(?P<number>(?:(?<!\S)-)?(?:{_GROUPS})(?:\.\d+)*)(?![^\W_])"
    r"|[^\W_]+(?:'[^\W_]+)*"
)


@cache
def _numbers() -> dict[str, int]:
    tens = enumerate(entries("quantities.tens"), start=2)
    small = {word: value for value, word in enumerate(entries("quantities.units"))}
    return small | {word: 10 * value for value, word in tens}


class Word(NamedTuple):
    """A word, and whether it belongs to the one before it (``vice-president``, ``12:30``)."""

    text: str
    joined: bool


def fold(text: str) -> str:
    """Return ``text`` without case, accents, compatibility forms and invisible characters.

    Typographic apostrophes and hyphens become the ASCII ones.
    """
    decomposed = unicodedata.normalize("NFKD", text.casefold())
    return _ACCENT.sub("", decomposed).casefold().translate(_SAME)


def words(text: str) -> tuple[Word, ...]:
    """Return the folded words of ``text``; ``the`` is left out, as is all punctuation.

    Numbers lose their thousands separators and idle decimals (``1,000.0`` and ``1 000`` are
    ``1000``), number words below a hundred become digits, and a possessive ``'s`` goes.
    """
    return _kept(text) if len(text) <= _LONGEST_KEPT else words_of_long(text)


@lru_cache(maxsize=8192)
def _kept(text: str) -> tuple[Word, ...]:
    return words_of_long(text)


def words_of_long(text: str) -> tuple[Word, ...]:
    """Return what ``words`` does, of a text that is too long to keep its words."""
    return tuple(word for word in _with_numbers(list(_split(fold(text)))) if word.text != "the")


def spelling(text: str) -> tuple[str, ...]:
    """Return the texts of the words of ``text``, for comparing two texts as wholes."""
    return tuple(word.text for word in words(text))


def _split(text: str) -> Iterator[Word]:
    end = None
    for match in _WORD.finditer(text):
        joined = end is not None and text[end] != " " and _joins(text, end, match.start())
        word = match[0]
        if match["number"]:
            word = word.translate(_UNGROUPED)
            if word.count(".") == 1:
                word = word.rstrip("0").rstrip(".")
        yield Word(word.removesuffix("'s").replace("'", "") or word, joined)
        end = match.end()


def _joins(text: str, end: int, start: int) -> bool:
    """Say whether what stands between two words makes one compound of them."""
    between = text[end:start]
    if between == "-":
        return True
    digits = text[end - 1].isdigit() and text[start].isdigit()
    return digits and between in {".", ",", ":", "/", "\u2013"}


def _with_numbers(split: list[Word]) -> Iterator[Word]:
    numbers, position = _numbers(), 0
    while position < len(split):
        word = split[position]
        position += 1
        value = numbers.get(word.text)
        if value is None:
            yield word
            continue
        unit = numbers.get(split[position].text, 0) if position < len(split) else 0
        if value >= 20 and 0 < unit < 10:
            value += unit
            position += 1
        yield Word(str(value), word.joined)
