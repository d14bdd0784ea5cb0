"""Verdicts on the lines of a rubric, and on the order in which things are told (BEAM)."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

from mabench.json_text import from_json
from mabench.scoring.final_answer import without_reasoning

_OBJECT = re.compile(r"\{[^{}]*\}")
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?")
_HALVES = {0.0: 0, 0.5: 1, 1.0: 2}


def line_verdict(reply: str) -> int | None:
    """Return the halves, 0, 1 or 2, that a reply gives a line: 0, 0.5 or 1.

    They stand in the last JSON object with a ``score``, or are the only number of the reply. None
    when neither is there, or it is another number.
    """
    text = without_reasoning(reply)
    for found in reversed(_OBJECT.findall(text)):
        named = _json(found)
        if isinstance(named, dict) and "score" in named:
            return _halves(named["score"])
    numbers = _NUMBER.findall(text)
    return _halves(numbers[0]) if len(numbers) == 1 else None


def order_verdict(reply: str, lines: int) -> list[int] | None:
    """Return the line of a rubric, from 1, that each item of an answer is; 0 for none.

    They stand in the last JSON object with an ``order``; a line counts where it stands first.
    None when there is no such list of numbers from 0 to ``lines``.
    """
    for found in reversed(_OBJECT.findall(without_reasoning(reply))):
        named = _json(found)
        order = named.get("order") if isinstance(named, dict) else None
        if isinstance(order, list):
            if not all(type(one) is int and 0 <= one <= lines for one in order):
                return None
            return [0 if one in order[:place] else one for place, one in enumerate(order)]
    return None


def order_score(places: Sequence[int], items: int) -> float:
    """Return (tau-b + 1) / 2 of the order in which an answer tells the lines of a rubric.

    Lines that it does not tell are tied last in the answer, and items of the answer that are no
    line are tied last in the rubric (Kendall, 1945). Where tau-b is not defined, as where no line
    is told, it is 0.

    Args:
        places: for each line, the place, from 1, of the item that is it; 0 for none.
        items: how many items the answer has.
    """
    from scipy.stats import kendalltau

    told = {place for place in places if place}
    wanted = [*range(1, len(places) + 1)]
    given = [place or items + 1 for place in places]
    others = [place for place in range(1, items + 1) if place not in told]
    wanted += [len(places) + 1] * len(others)
    given += others
    if not told:
        return 0.0
    if len(wanted) == 1:
        return 1.0  # One thing, which is told.
    tau = float(kendalltau(wanted, given, variant="b").statistic)
    return 0.0 if math.isnan(tau) else (tau + 1) / 2


def _json(text: str) -> object:
    try:
        return from_json(text)
    except ValueError:
        return None


def _halves(value: object) -> int | None:
    try:
        return _HALVES.get(float(str(value)))
    except ValueError:
        return None
