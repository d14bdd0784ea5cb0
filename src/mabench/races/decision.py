"""Deciding a race from the scores of histories: who is beaten, and when."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import combinations
from typing import Literal

from mabench.results import RacePair
from mabench.uncertainty import Floats, confidence_sequence


def decide(
    scores: Mapping[str, Floats], margin: float | None, alpha: float, *, symmetric: bool = False
) -> tuple[list[str], list[list[RacePair]]]:
    """Return the agents that are not beaten, and each pair after every history up to its decision.

    Each pair has its share of ``alpha`` (Bonferroni): all intervals of all pairs hold together at
    all times, so that it does not matter which agents drop out when.

    Args:
        scores: by agent, of its histories in order, from 0 to 1: shape (histories,).
        margin: how many points apart equal agents may be; None if no agents count as equal.
        alpha: how often any interval may fail to hold the true difference.
        symmetric: also bet on signs, as if differences between equal agents were symmetric.
    """
    couples = [*combinations(scores, 2)]
    share = alpha / len(couples)
    # Each pair after every history that both have seen, as if nobody ever dropped out.
    tracks = [
        [*track_pair(scores, RacePair(a=a, b=b), margin, share, symmetric)] for a, b in couples
    ]
    left = [*scores]
    courses = [[track[0]] for track in tracks]  # The part of each track up to its decision.
    for n in range(1, max(map(len, tracks))):
        for course, track in zip(courses, tracks, strict=True):
            pair = course[-1]
            both_left = pair.a in left and pair.b in left
            if both_left and pair.decision == "undecided" and n < len(track):
                course.append(track[n])
        beaten = {course[-1].beaten for course in courses}
        unbeaten = [name for name in left if name not in beaten]
        # If each of those left is beaten by another, in a circle, none of them drops out.
        if unbeaten:
            left = unbeaten
    return left, courses


def track_pair(
    scores: Mapping[str, Floats],
    pair: RacePair,
    margin: float | None,
    alpha: float,
    symmetric: bool = False,
) -> Iterator[RacePair]:
    """Yield the pair before the first history, and after each that both agents have seen.

    ``pair`` has the names of the agents; the other parameters are as for ``decide``, but ``alpha``
    is the share of this pair.
    """
    yield pair
    seen_by_both = min(len(scores[pair.a]), len(scores[pair.b]))
    differences = scores[pair.a][:seen_by_both] - scores[pair.b][:seen_by_both]
    sequence = confidence_sequence(differences, alpha, symmetric=symmetric)
    for n, interval in enumerate(sequence, 1):
        low, high = interval.percent
        yield replace(
            pair,
            decision=_decide_pair(low, high, margin),
            difference=100 * float(differences[:n].mean()),
            low=low,
            high=high,
            histories=n,
        )


def _decide_pair(
    low: float, high: float, margin: float | None
) -> Literal["a", "b", "equal", "undecided"]:
    """Return what the interval of a difference shows: ``a``, ``b``, ``equal`` or ``undecided``."""
    if low >= 0:
        return "a"
    if high <= 0:
        return "b"
    if margin is not None and -margin <= low and high <= margin:
        return "equal"
    return "undecided"
