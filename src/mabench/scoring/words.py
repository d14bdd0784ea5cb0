"""Words of a text such that spellings which a careful reader takes for the same are equal.

``answer_finder`` looks for them in passages, which is what retrieval is measured by: a passage
asserts nothing to a question, so that every mention of whole words counts there.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from functools import cache, lru_cache

from mabench.scoring.lexicon import entries
from mabench.scoring.official import normalize

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


def fold(text: str) -> str:
    """Return ``text`` without case, accents, compatibility forms and invisible characters.

    Typographic apostrophes and hyphens become the ASCII ones.
    """
    decomposed = unicodedata.normalize("NFKD", text.casefold())
    return _ACCENT.sub("", decomposed).casefold().translate(_SAME)


@lru_cache(maxsize=8192)
def spelling(text: str) -> tuple[str, ...]:
    """Return the folded words of ``text``, to compare texts as wholes; no ``the``, no punctuation.

    Numbers lose their thousands separators and idle decimals (``1,000.0`` and ``1 000`` are
    ``1000``), number words below a hundred become digits, and a possessive ``'s`` goes.
    """
    return tuple(word for word, _ in _words(text))


def answer_finder(text: str) -> Callable[[Sequence[str]], bool]:
    """Return a function that says whether one of some answers stands in ``text``.

    Case, accents, typographic signs, ``the`` and the way a number is written play no part; a
    part of a hyphenated word is not a word, and an answer that normalises to nothing stands
    nowhere. The words of ``text`` are read once, so that asking again takes no more than a
    search for a string.
    """
    read = _words(text)
    # No word holds a space, so a place in this string gives the number of the word there.
    spaced = f" {' '.join(word for word, _ in read)} "
    joined = bytes(joined for _, joined in read) + b"\0"

    def stands(wanted: tuple[str, ...]) -> bool:
        phrase = f" {' '.join(wanted)} "
        place = spaced.find(phrase)
        while place >= 0:
            start = spaced.count(" ", 0, place)
            if not (joined[start] or joined[start + len(wanted)]):
                return True
            place = spaced.find(phrase, place + 1)
        return False

    return lambda answers: any(map(stands, _wanted_words(tuple(answers))))


@lru_cache(maxsize=256)  # The answers of a question are looked for in every chunk.
def _wanted_words(answers: tuple[str, ...]) -> list[tuple[str, ...]]:
    """Return the words to look for; an article that opens an answer need not be said."""
    wanted = [spelling(gold) for gold in answers if normalize(gold)]
    wanted = [said[1:] if said[:1] in {("a",), ("an",)} else said for said in wanted]
    return [said for said in wanted if said]


def _words(text: str) -> list[tuple[str, bool]]:
    """Return the words, each with whether it belongs to the one before (``vice-president``)."""
    return [word for word in _with_numbers(list(_split(fold(text)))) if word[0] != "the"]


def _split(text: str) -> Iterator[tuple[str, bool]]:
    end = None
    for match in _WORD.finditer(text):
        joined = end is not None and text[end] != " " and _joins(text, end, match.start())
        word = match[0]
        if match["number"]:
            word = word.translate(_UNGROUPED)
            if word.count(".") == 1:
                word = word.rstrip("0").rstrip(".")
        yield word.removesuffix("'s").replace("'", "") or word, joined
        end = match.end()


def _joins(text: str, end: int, start: int) -> bool:
    between = text[end:start]
    if between == "-":
        return True
    digits = text[end - 1].isdigit() and text[start].isdigit()
    return digits and between in {".", ",", ":", "/", "\u2013"}


def _with_numbers(split: list[tuple[str, bool]]) -> Iterator[tuple[str, bool]]:
    numbers, position = _numbers(), 0
    while position < len(split):
        word, joined = split[position]
        position += 1
        value = numbers.get(word)
        if value is not None:
            unit = numbers.get(split[position][0], 0) if position < len(split) else 0
            if value >= 20 and 0 < unit < 10:
                value += unit
                position += 1
            word = str(value)
        yield word, joined
