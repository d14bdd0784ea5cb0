"""What corrected rules share: their result, and the answers that give none."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

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


def is_same(prediction: str, answers: Sequence[str], key: Callable[[str], object]) -> bool:
    """Say whether a prediction is one of the answers, compared by ``key``; an empty key is not."""
    longest = max(map(len, answers), default=0)
    if len(prediction) > 2 * longest + _SPARE:
        return False
    whole = prediction.strip()
    if re.search(r"[^\W_]", whole) and whole in {answer.strip() for answer in answers}:
        return True
    said = key(prediction)
    return bool(said) and any(said == key(answer) for answer in answers)


def right(rule: str) -> Corrected:
    """Return that a prediction is right."""
    return Corrected(1.0, rule)


def wrong(rule: str) -> Corrected:
    """Return that a prediction is wrong."""
    return Corrected(0.0, rule)


def unclear(rule: str) -> Corrected:
    """Return that the rule cannot tell."""
    return Corrected(None, rule)


_KNOWS_NOT = (
    r"(?:do(?:es)?|did|can|could|would|am|are|is|was|were|has|have|had)(?: not|n['\u2019]t)"
    r"(?: \w+){0,2}? "
    r"(?:know|tell|say|determine|find|sure|certain|able|answer|identify|mention\w*|state\w*"
    r"|specif\w+"
    r"|provid\w+|contain\w*|includ\w+|give\w*|available|recall|remember|possible|clear|listed"
    r"|found|see"
    r"|enough|decide|choose|aware|recorded|say|indicate\w*|confirm\w*|infer\w*|conclude\w*"
    r"|have|familiar)"
)
_REFUSAL = re.compile(
    rf"\b(?:{_KNOWS_NOT}|cannot|unable to|unknown|no idea|not (?:\w+ )?(?:known|mentioned"
    rf"|stated|specified|provided"
    r"|available|given|found|sure|certain|clear|enough|possible|listed|recorded|included)"
    r"|not enough|insufficient|impossible to|n/a|no (?:\w+ )?(?:information|data|evidence"
    r"|mention|record|answer"
    r"|details|way|documents?|facts?|memory|memories|match|context)|nobody knows|no one knows"
    r"|unclear|undetermined|lacks?"
    r"|can['\u2019]t|couldn['\u2019]t|there (?:is|are|was) no(?:t|thing|ne)?\b(?! (?:doubt"
    r"|question)))\b",
    re.IGNORECASE,
)
_ANYWAY = re.compile(
    r"\b(?:but|however|though|still|nevertheless|my (?:best )?guess|probably|most likely|likely"
    r"|if i had to|i(?: would|['\u2019]d)? (?:guess|think|believe|say|choose|pick))\b|;",
    re.IGNORECASE,
)


def refuses(text: str) -> bool:
    """Say whether a text declines to answer, and gives no answer after all."""
    cue = _REFUSAL.search(text)
    return cue is not None and _ANYWAY.search(text, cue.end()) is None


def guesses(text: str) -> bool:
    """Say whether a text goes on to an answer after all."""
    return _ANYWAY.search(text) is not None


def declines_before(text: str, place: int) -> bool:
    """Say whether a text declines to answer, and comes to no answer before ``place``."""
    cue = _REFUSAL.search(text)
    if cue is None:
        return False
    if cue.start() >= place:
        return _ANYWAY.search(text, cue.end()) is None
    return _ANYWAY.search(text, cue.end(), place) is None
