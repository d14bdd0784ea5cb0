"""Whether an answer stands anywhere in a passage: what retrieval is measured by.

A passage asserts nothing to a question, so every mention of whole words counts here, unlike in
a prediction (``corrected.answer``).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache

from mabench.scoring.official import normalize
from mabench.scoring.words import spelling, words_of_long


def answer_finder(text: str) -> Callable[[Sequence[str]], bool]:
    """Return a function that says whether one of some answers stands in ``text``.

    Case, accents, typographic signs, ``the`` and the way a number is written play no part; a
    part of a hyphenated word is not a word, and an answer that normalises to nothing stands
    nowhere. The words of ``text`` are read once, so that asking again takes no more than a
    search for a string.
    """
    read = words_of_long(text)
    # No word holds a space, so a place in this string gives the number of the word there.
    spaced = f" {' '.join(word.text for word in read)} "
    joined = bytes(word.joined for word in read) + b"\0"

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
    """Return the words to look for, of the answers that do not normalise to nothing."""
    wanted = [_wanted(gold) for gold in answers if normalize(gold)]
    return [words for words in wanted if words]


def _wanted(gold: str) -> tuple[str, ...]:
    """Return the words to look for: an article that opens the gold need not be said."""
    wanted = spelling(gold)
    return wanted[1:] if wanted[:1] in {("a",), ("an",)} else wanted
