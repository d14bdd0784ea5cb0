"""What corrected rules share: their result, and answers that decline to give one."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import cache
from typing import NamedTuple

from mabench.scoring.lexicon import pattern
from mabench.scoring.tokens import plain
from mabench.scoring.words import spelling

_SHORTEST_QUESTION = 4
_SPARE = 1000  # Characters by which a prediction may be longer than the answer that it is.


class Corrected(NamedTuple):
    """What a rule makes of a prediction, with the rule's short, stable name.

    Attributes:
        value: from 0 to 1; None where the rule cannot tell, so that the official value holds.
        rule: one of the names listed in ``docs/reference/scoring.md``.
    """

    value: float | None
    rule: str

    @property
    def verdict(self) -> str:
        """``right``, ``wrong``, ``partial``, or ``unclear`` where the rule cannot tell."""
        if self.value is None:
            return "unclear"
        return "right" if self.value >= 1 else "wrong" if self.value <= 0 else "partial"


def right(rule: str) -> Corrected:
    """Return that a prediction is right."""
    return Corrected(1.0, rule)


def wrong(rule: str) -> Corrected:
    """Return that a prediction is wrong."""
    return Corrected(0.0, rule)


def unclear(rule: str) -> Corrected:
    """Return that the rule cannot tell."""
    return Corrected(None, rule)


def is_same(prediction: str, answers: Sequence[str], key: Callable[[str], object]) -> bool:
    """Return whether a prediction is one of the answers, compared by ``key``; no empty key is."""
    longest = max(map(len, answers), default=0)
    if len(prediction) > 2 * longest + _SPARE:
        return False
    whole = prediction.strip()
    if re.search(r"[^\W_]", whole) and whole in {answer.strip() for answer in answers}:
        return True
    said = key(prediction)
    return bool(said) and any(said == key(answer) for answer in answers)


def refuses(text: str) -> bool:
    """Return whether a text declines to answer, and gives no answer after all.

    Who declines is the speaker, the memory or the documents: "they did not know" is none.
    """
    return declines_before(text, len(text))


def guesses(text: str) -> bool:
    """Return whether a text goes on to an answer after all."""
    return _anyway().search(text) is not None


def declines_before(text: str, place: int) -> bool:
    """Return whether a text declines to answer, and comes to no answer before ``place``."""
    cue = _refusal().search(text)
    if cue is None:
        return False
    if cue.start() >= place:
        return _anyway().search(text, cue.end()) is None
    return _anyway().search(text, cue.end(), place) is None


def _anyway() -> re.Pattern[str]:
    return pattern(r"\b(?:%s)\b|;", "refusal.anyway")


@cache
def _refusal() -> re.Pattern[str]:
    negated = (
        r"(?:(?:do|does|did|can|could|would|am|are|is|was|were|has|have|had|ca|wo)"
        r"(?: not|n['\u2019]t)|['\u2019]m not|['\u2019]re not|cannot|never)(?: \w+){0,2}? (?:%s)\b"
    )
    heads = r"(?:^|[.,;:(\u2014]\s*|\b(?:is|are|was|be|remains?)\s)(?:%s)\b"
    return pattern(
        rf"\b(?:%s)(?: \w+ly| also| still| just)?\s?{negated}"
        rf"|\b(?:%s)\b[^.,;\n]{{0,40}}?\s{negated}|{heads}|\b(?:%s)\b",
        *("refusal.speakers", "refusal.unknown", "refusal.histories", "refusal.unknown"),
        *("refusal.heads", "refusal.phrases"),
    )


def without_question(text: str, question: str | None) -> tuple[str, bool]:
    """Return ``plain`` text without the question, where it repeats it, and whether it does."""
    asked = plain(question or "").strip().rstrip("?.! ")
    if len(asked) < _SHORTEST_QUESTION:
        return text, False
    bare, count = re.subn(re.escape(asked) + r"[?.! \"']*", "\n", text, flags=re.IGNORECASE)
    unnamed = re.sub(r"(?i)^question:", "", text[: 2 * len(asked) + _SPARE])
    if not count and spelling(unnamed) == spelling(asked):
        return "", True
    return bare.strip(), bool(count)
