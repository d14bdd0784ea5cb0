"""Whether an answer stands in a long text, by the rule for answers; made for many questions."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from mabench.scoring.corrected.answer import wanted_words
from mabench.scoring.words import words_of_long


def answer_finder(text: str) -> Callable[[Sequence[str]], bool]:
    """Return a function that says whether one of some answers stands in ``text``.

    It says what ``correct_answer`` does of the same text without a question. The words of
    ``text`` are read once, so that asking again takes no more than a search for a string.
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

    return lambda answers: any(map(stands, wanted_words(answers).values()))
