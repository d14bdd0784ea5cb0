"""The rule for answers taken from the history: ruler and factconsolidation."""

from __future__ import annotations

from collections.abc import Sequence

from mabench.scoring.corrected.reading import beyond_question
from mabench.scoring.corrected.result import Corrected
from mabench.scoring.official.overlap import normalize, substring_exact_match
from mabench.scoring.words import places, spelling, words


def correct_answer(
    prediction: str, answers: Sequence[str], question: str | None = None
) -> Corrected:
    """Score whether an acceptable answer stands in ``prediction`` as whole words.

    Case, accents, typographic signs, ``the`` and the way a number is written play no part. A
    part of a hyphenated word is not a word. An answer that normalises to nothing is never
    found, and what only repeats the question is no answer.
    """
    golds = wanted_words(answers)
    said = beyond_question(prediction, question)
    if any(any(True for _ in places(wanted, said)) for wanted in golds.values()):
        return Corrected(1.0, "token-boundary")
    if any(gold not in golds for gold in answers):
        return Corrected(0.0, "empty-gold")
    if any(substring_exact_match(prediction, gold) for gold in golds):
        echoed = said != list(words(prediction))
        return Corrected(0.0, "question-echo" if echoed else "inside-word")
    return Corrected(0.0, "no-candidate")


def wanted_words(answers: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """Return the words to look for, by answer, of those that do not normalise to nothing."""
    wanted = {gold: _wanted(gold) for gold in answers if normalize(gold)}
    return {gold: words for gold, words in wanted.items() if words}


def _wanted(gold: str) -> tuple[str, ...]:
    """Return the words to look for: an article that opens the gold need not be said."""
    wanted = spelling(gold)
    return wanted[1:] if wanted[:1] in {("a",), ("an",)} else wanted
