"""Which value a text chooses: the decisions, one after the other, until one chooses.

A text is read as a line of signs (``line``), in which values are the gold and its rivals. A
decision finds the places of values in it, or None where it does not apply.
"""

from __future__ import annotations

from enum import Enum
from typing import NamedTuple

from mabench.scoring.stated.decisions import DECISIONS, Decision, Effect
from mabench.scoring.stated.line import SignLine
from mabench.scoring.stated.signs import Sign


class ChosenValue(Enum):
    """What a text chooses."""

    GOLD = "the gold"
    RIVAL = "another value"
    NEITHER = "none of several"
    UNKNOWN = "cannot be told"


class Step(NamedTuple):
    """A decision that found something, and the line of signs that it left."""

    decision: Decision
    line: SignLine


class Choice(NamedTuple):
    """What a text chooses, by which decision, and all steps to it."""

    outcome: ChosenValue
    steps: tuple[Step, ...]


# The sign of a value by what a decision does with it.
_TAKEN_BACK = {
    Effect.DENIES: Sign.DENIED,
    Effect.PASSES: Sign.PAST,
    Effect.SETS_ASIDE: Sign.ASIDE,
}


def choose(line: SignLine) -> Choice:
    """Return what a line of signs chooses, by the first decision that chooses or leaves open.

    Decisions before it may take values back, or set them aside unless no value would be left. Where
    the question asks for what is not so, a negation takes nothing back.
    """
    steps = list[Step]()
    # A value that was taken back, or that holds no more, may still be chosen.
    was_gold = {item.start for item in line.items if item.sign is Sign.GOLD}
    for decision in DECISIONS:
        if decision.effect is Effect.DENIES and line.is_negated:
            continue
        places = decision.find(line)
        if places is None:
            continue
        if sign := _TAKEN_BACK.get(decision.effect):
            cleared = line.with_sign(places, sign)
            if decision.effect is Effect.SETS_ASIDE and not cleared.values():
                continue
            line = cleared
            steps.append(Step(decision, line))
            continue
        steps.append(Step(decision, line))
        if decision.effect is Effect.LEAVES_OPEN:
            return Choice(ChosenValue.NEITHER, tuple(steps))
        if decision.effect is Effect.DOUBTS:
            break
        item = line.items[places[0]]
        is_gold = item.sign in (Sign.GOLD, Sign.GOLD_AGAIN) or item.start in was_gold
        return Choice(ChosenValue.GOLD if is_gold else ChosenValue.RIVAL, tuple(steps))
    return Choice(ChosenValue.UNKNOWN, tuple(steps))
