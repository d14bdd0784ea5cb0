"""Deciding a race from the scores of histories: who is beaten, and when."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import combinations

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
    couples, left = [*combinations(scores, 2)], [*scores]
    share = alpha / len(couples)
    tracks = [
        [*track_pair(scores, RacePair(a=a, b=b), margin, share, symmetric)] for a, b in couples
    ]
    seen = [track[:1] for track in tracks]
    for n in range(1, max(map(len, tracks))):
        for own, track in zip(seen, tracks, strict=True):
            if {own[-1].a, own[-1].b} <= {*left} and own[-1].decision == "undecided":
                own += track[n : n + 1]
        beaten = {own[-1].beaten for own in seen}
        # If each of those left is beaten by another, in a circle, none of them drops out.
        left = [name for name in left if name not in beaten] or left
    return left, seen


def track_pair(
    scores: Mapping[str, Floats],
    pair: RacePair,
    margin: float | None,
    alpha: float,
    symmetric: bool = False,
) -> Iterator[RacePair]:
    """Yield the pair before the first history, and after each."""
    yield pair
    both = min(len(scores[pair.a]), len(scores[pair.b]))
    differences = scores[pair.a][:both] - scores[pair.b][:both]
    sequence = confidence_sequence(differences, alpha, symmetric=symmetric)
    for n, interval in enumerate(sequence, 1):
        low, high = interval.percent
        equal = margin is not None and -margin <= low and high <= margin
        yield replace(
            pair,
            decision="a" if low >= 0 else "b" if high <= 0 else "equal" if equal else "undecided",
            difference=100 * float(differences[:n].mean()),
            low=low,
            high=high,
            histories=n,
        )
