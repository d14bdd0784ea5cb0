"""Verdicts of language-model judges: read from a reply, and turned into scores.

Replies come as a bare word, as JSON, or wrapped in talk; what cannot be read with certainty is
no verdict.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from mabench.json_text import from_json
from mabench.scoring.final_answer import without_reasoning

_WORD = re.compile(r"[a-z]+")
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?")
_OBJECT = re.compile(r"\{[^{}]*\}")


def yes_or_no(reply: str) -> bool | None:
    """Return what a reply says: its first word if that is yes or no, else the only one in it.

    Unlike the published reader, which takes any reply with the letters ``yes`` in it for a yes.
    """
    words: list[str] = _WORD.findall(without_reasoning(reply).lower())
    verdicts = {word for word in words if word in ("yes", "no")}
    if words and words[0] in verdicts:
        return words[0] == "yes"
    return verdicts == {"yes"} if len(verdicts) == 1 else None


def says_yes(reply: str) -> bool:
    """Return what the published reader takes a reply for: a yes if these letters stand in it."""
    return "yes" in reply.lower()


def counts(reply: str, *names: tuple[str, ...]) -> tuple[int, ...] | None:
    """Return a judge's numbers: from the last JSON object with all, else the only ones there are.

    A number below 0 is read as 0; one with a fraction is no count.

    Args:
        reply: the reply, with any amount of reasoning before the object.
        names: for each number, the names under which it may stand.
    """
    text = without_reasoning(reply)
    for found in reversed(_OBJECT.findall(text)):
        try:
            named: Any = from_json(found)
        except ValueError:
            continue
        known = [next((name for name in one if name in named), None) for one in names]
        if None not in known:
            return _whole(str(named[name]) for name in known)
    numbers = _NUMBER.findall(text)
    return _whole(numbers) if len(numbers) == len(names) else None


def summary_score(fluent: int, found: int, keypoints: int, supported: int, sentences: int) -> float:
    """Return fluency times F1, the published score of a summary (arXiv 2507.05257), from 0 to 1.

    Args:
        fluent: 1 for a fluent summary, 0 for one that is not.
        found: how many of the key points the summary holds.
        keypoints: how many key points there are.
        supported: how many sentences of the summary the reference supports.
        sentences: how many sentences the summary has.

    Numbers are brought within what is possible, and an empty count gives 0.
    """
    recall = _share(found, keypoints)
    precision = _share(supported, sentences)
    if recall + precision == 0:
        return 0.0
    return min(max(fluent, 0), 1) * 2 * precision * recall / (precision + recall)


def cohens_kappa(one: list[int], other: list[int]) -> float | None:
    """Return how far two judges agree beyond chance (Cohen, 1960), from -1 to 1.

    Args:
        one: the verdicts of a judge.
        other: the verdicts of another on the same answers, in the same order.

    None when there are no verdicts, or when both judges always say the same one thing, so that
    chance alone would make them agree.
    """
    n = len(one)
    if n == 0:
        return None
    agreed = sum(a == b for a, b in zip(one, other, strict=True)) / n
    by_chance = sum(one.count(v) * other.count(v) for v in {*one, *other}) / n**2
    return None if by_chance == 1 else (agreed - by_chance) / (1 - by_chance)


def _share(part: int, whole: int) -> float:
    return min(max(part, 0), whole) / whole if whole > 0 else 0.0


def _whole(numbers: Iterable[str]) -> tuple[int, ...] | None:
    try:
        values = [float(number) for number in numbers]
    except ValueError:
        return None
    if not all(map(float.is_integer, values)):
        return None
    return tuple(max(0, int(value)) for value in values)
