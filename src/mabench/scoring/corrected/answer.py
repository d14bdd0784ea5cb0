"""The rule for answers taken from the history: ruler and factconsolidation."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from mabench.scoring.corrected.rule import Corrected, beyond_question
from mabench.scoring.official.text import normalize, substring_exact_match
from mabench.scoring.words import places, spelling, words, words_of_long


def correct_answer(
    prediction: str, answers: Sequence[str], question: str | None = None
) -> Corrected:
    """Score whether an acceptable answer stands in ``prediction`` as whole words.

    Case, accents, typographic signs, ``the`` and the way a number is written play no part. A
    part of a hyphenated word is not a word. An answer that normalises to nothing is never
    found, and what only repeats the question is no answer.
    """
    golds = _wanted_words(answers)
    said = beyond_question(prediction, question)
    if any(any(True for _ in places(wanted, said)) for wanted in golds.values()):
        return Corrected(1.0, "token-boundary")
    if any(gold not in golds for gold in answers):
        return Corrected(0.0, "empty-gold")
    if any(substring_exact_match(prediction, gold) for gold in golds):
        echoed = said != list(words(prediction))
        return Corrected(0.0, "question-echo" if echoed else "inside-word")
    return Corrected(0.0, "no-candidate")


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

    return lambda answers: any(map(stands, _wanted_words(answers).values()))


def _wanted_words(answers: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """Return the words to look for, by answer, of those that do not normalise to nothing."""
    wanted = {gold: _wanted(gold) for gold in answers if normalize(gold)}
    return {gold: words for gold, words in wanted.items() if words}


def _wanted(gold: str) -> tuple[str, ...]:
    """Return the words to look for: an article that opens the gold need not be said."""
    wanted = spelling(gold)
    return wanted[1:] if wanted[:1] in {("a",), ("an",)} else wanted
