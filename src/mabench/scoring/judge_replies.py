"""Verdicts of language-model judges: read from a reply, and turned into scores.

Replies come as a bare word, as JSON, or wrapped in talk; what cannot be read with certainty is
no verdict.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import Any

from mabench.scoring.final_answer import structured_answers, without_reasoning

_WORD = re.compile(r"[a-z]+")
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?")


def yes_or_no(reply: str) -> bool | None:
    """Return what a reply says: its first word if that is yes or no, else the only one in it.

    Unlike the published reader, which takes any reply with the letters ``yes`` in it for a yes.
    """
    first, *rest = _WORD.findall(without_reasoning(reply).lower()) or [""]
    verdicts = {"yes", "no"} & ({first} if first in ("yes", "no") else {*rest})
    return verdicts == {"yes"} if len(verdicts) == 1 else None


def says_yes(reply: str) -> bool:
    """Return whether the letters ``yes`` stand in a reply, as the published reader takes it."""
    return "yes" in reply.lower()


def counts(reply: str, *names: tuple[str, ...]) -> tuple[int, ...] | None:
    """Return a judge's numbers: from the last JSON object with all, else the only ones there are.

    A number below 0 is read as 0; one with a fraction is no count. ``names`` are, for each
    number, those under which it may stand.
    """
    values = _numbers(reply, *names)
    if not values or not all(map(float.is_integer, values)):
        return None
    return tuple(max(0, int(value)) for value in values)


def line_verdict(reply: str) -> int | None:
    """Return the halves, 0, 1 or 2, that a reply gives a line: 0, 0.5 or 1 (BEAM).

    They stand in the last JSON object with a ``score``, or are the only number of the reply.
    """
    score = _numbers(reply, ("score",))
    return {0.0: 0, 0.5: 1, 1.0: 2}.get(score[0]) if score else None


def order_verdict(reply: str, lines: int) -> list[int] | None:
    """Return the line of a rubric, from 1, that each item of an answer is; 0 for none (BEAM).

    They stand in the last JSON object with an ``order``; a line counts where it stands first.
    None when there is no such list of numbers from 0 to ``lines``.
    """
    orders = [fields["order"] for fields in _objects(reply) if "order" in fields]
    order: list[object] = orders[0] if orders and isinstance(orders[0], list) else [None]
    known = [line for line in order if type(line) is int and 0 <= line <= lines]
    if len(known) < len(order):
        return None
    return [0 if line in known[:place] else line for place, line in enumerate(known)]


def order_score(places: Sequence[int], items: int) -> float:
    """Return (tau-b + 1) / 2 of the order in which an answer tells the lines of a rubric.

    Lines that it does not tell are tied last in the answer, and items of the answer that are no
    line are tied last in the rubric (Kendall, 1945); where tau-b is not defined it is 0.
    ``places`` has for each line the place, from 1, of its item among so many ``items``; 0 for none.
    """
    from scipy.stats import kendalltau

    others = sorted({*range(1, items + 1)} - {*places})
    wanted = [*range(1, len(places) + 1)] + [len(places) + 1] * len(others)
    given = [place or items + 1 for place in places] + others
    if not any(places) or len(wanted) == 1:
        return float(any(places))  # Of one thing, whether it is told.
    tau = float(kendalltau(wanted, given, variant="b").statistic)
    return 0.0 if math.isnan(tau) else (tau + 1) / 2


def summary_score(fluent: int, found: int, keypoints: int, supported: int, sentences: int) -> float:
    """Return fluency times F1, the published score of a summary (arXiv 2507.05257), from 0 to 1.

    ``found`` of the key points stand in it, and ``supported`` of its sentences in the reference.
    Numbers are brought within what is possible, and an empty count gives 0.
    """
    pairs = ((found, keypoints), (supported, sentences))
    recall, precision = (min(max(p, 0), of) / of if of > 0 else 0.0 for p, of in pairs)
    if recall + precision == 0:
        return 0.0
    return min(max(fluent, 0), 1) * 2 * precision * recall / (precision + recall)


def cohens_kappa(one: list[int], other: list[int]) -> float | None:
    """Return how far two judges agree on the same answers beyond chance (Cohen, 1960), -1 to 1.

    None when there are no verdicts, or when both judges always say the same one thing, so that
    chance alone would make them agree.
    """
    n = len(one)
    if n == 0:
        return None
    agreed = sum(a == b for a, b in zip(one, other, strict=True)) / n
    by_chance = sum(one.count(v) * other.count(v) for v in {*one, *other}) / n**2
    return None if by_chance == 1 else (agreed - by_chance) / (1 - by_chance)


def _numbers(reply: str, *names: tuple[str, ...]) -> list[float]:
    """Return the numbers of these names; none where one is missing or another stands beside."""
    found = _NUMBER.findall(without_reasoning(reply))
    for fields in _objects(reply):
        known = [next((name for name in group if name in fields), None) for group in names]
        if None not in known:
            found = [str(fields[name]) for name in known if name]
            break
    try:
        return [float(number) for number in found] if len(found) == len(names) else []
    except ValueError:
        return []


def _objects(reply: str) -> list[dict[str, Any]]:
    return [value for value in reversed(structured_answers(reply)) if isinstance(value, dict)]
