"""Rules for answers of several parts, and for questions that nothing in the history answers."""

from __future__ import annotations

import re
from collections.abc import Sequence

from mabench.scoring.corrected.answer import correct_answer
from mabench.scoring.corrected.rule import Corrected, guesses, refuses, right, wrong
from mabench.scoring.final_answer import without_reasoning

# Ways to say that nothing is known, beside those in which any question is declined.
_NOTHING_KNOWN = re.compile(
    r"\b(?:could only guess|no info|nothing (?:is|was|has been|about|on)"
    r"|(?:never|nobody|no one|neither|none of them) (?:\w+ ){0,2}"
    r"(?:mention|discuss|say|said|talk|tell|told|ask|speak|spoke|brought)\w*)\b",
    re.IGNORECASE,
)
_SENTENCE = re.compile(r"(?<=[.!?])\s|\n")


def correct_parts(
    prediction: str, answers: Sequence[str], question: str | None = None
) -> Corrected:
    """Score which of the parts of a gold, between its commas, a prediction gives as its own.

    The order of the parts plays no part. What is read as one answer is scored as one.
    """
    whole = correct_answer(prediction, answers, question)
    shares = [_share(prediction, gold, question) for gold in answers]
    best = max(shares, default=0.0)
    if whole.value == 1 or not best:
        return whole
    return Corrected(best, "answer-parts" if best < 1 else "answer-asserted")


def _share(prediction: str, gold: str, question: str | None) -> float:
    parts = [part.removeprefix("and ").strip() for part in gold.split(",")]
    parts = [part for part in parts if part]
    if len(parts) < 2:
        return 0.0
    values = (correct_answer(prediction, [part], question).value for part in parts)
    return sum(value or 0.0 for value in values) / len(parts)


def correct_unanswerable(prediction: str) -> Corrected:
    """Score whether a prediction declines to answer, and gives no answer after all.

    It declines in its first sentence, with no guess behind it, or in its last.
    """
    if not prediction.strip():
        return wrong("no-answer")
    text = without_reasoning(prediction)
    parts = [part for part in _SENTENCE.split(text) if part.strip()]
    first, last = (parts[0], parts[-1]) if parts else ("", "")
    if (_declines(first) and _declines(text)) or _declines(last):
        return right("declined-rightly")
    return wrong("answer-invented")


def _declines(text: str) -> bool:
    cue = _NOTHING_KNOWN.search(text)
    return refuses(text) or (cue is not None and not guesses(text[cue.end() :]))
