"""The figures of a page that no summary has: by place of the gold, by length, by time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import log2

import numpy as np

from mabench.page.content import Asked
from mabench.uncertainty import Grouped, these_histories

PLACES = 5
Limits = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Share:
    """The mean of some questions, from 0 to 100.

    Attributes:
        n: how many questions.
        mean: their mean.
        limits: its 95 % interval for other questions about these histories; None without one.
    """

    n: int
    mean: float
    limits: Limits | None


@dataclass(frozen=True, slots=True)
class Bin:
    """Questions that are alike in one thing, such as the place of their gold.

    Attributes:
        name: what they have in common, for a reader.
        score: their official score; None where none has one.
        hit: the share for which a gold was retrieved; None where it is sought for none.
    """

    name: str
    score: Share | None
    hit: Share | None


@dataclass(frozen=True, slots=True)
class Times:
    """How long the answers of a source took, in seconds: median, 95th percentile, most."""

    n: int
    p50: float
    p95: float
    longest: float


def by_place(questions: Iterable[Asked]) -> list[Bin]:
    """Return the questions whose gold stands in a known place, by fifths of the history.

    Where a gold stands in several chunks, the last counts.
    """
    edges = [round(100 * place / PLACES) for place in range(PLACES + 1)]
    names = [f"{low}\N{EN DASH}{high} %" for low, high in pairwise(edges)]
    return _bins(questions, _place, lambda place: names[place])


def by_length(questions: Iterable[Asked]) -> list[Bin]:
    """Return the questions about histories of known length, by doublings of the length."""

    def name(power: int) -> str:
        return f"{_amount(2**power)}\N{EN DASH}{_amount(2 ** (power + 1))}"

    return _bins(questions, _doublings, name)


def times(questions: Sequence[Asked]) -> Times | None:
    """Return how long answers took; None unless it is known of every question."""
    seconds = [one.result.seconds for one in questions]
    known = [value for value in seconds if value is not None]
    if not known or len(known) < len(seconds):
        return None
    p50, p95 = np.quantile(known, [0.5, 0.95])
    return Times(len(known), float(p50), float(p95), max(known))


def error_kinds(questions: Iterable[Asked]) -> list[tuple[str, int, str]]:
    """Return each kind of error, how often it came, and the first message, the most common first.

    The kind is the name before the colon of the error.
    """
    counts: Counter[str] = Counter()
    first: dict[str, str] = {}
    for question in questions:
        if question.result.prediction is None:
            kind, _, message = (question.result.error or "no answer").partition(":")
            counts[kind] += 1
            first.setdefault(kind, message.strip())
    return [(kind, number, first[kind]) for kind, number in counts.most_common()]


def _bins(
    questions: Iterable[Asked],
    bin_of: Callable[[Asked], int | None],
    name_of: Callable[[int], str],
) -> list[Bin]:
    binned: dict[int, list[Asked]] = {}
    for question in questions:
        number = bin_of(question)
        if number is not None:
            binned.setdefault(number, []).append(question)
    return [
        Bin(
            name_of(number),
            _share([(one, one.result.official) for one in binned[number]]),
            _share([(one, _hit(one)) for one in binned[number]]),
        )
        for number in sorted(binned)
    ]


def _place(question: Asked) -> int | None:
    if question.depth is None:
        return None
    return min(PLACES - 1, int(PLACES * question.depth / 100))


def _doublings(question: Asked) -> int | None:
    return int(log2(question.history_tokens)) if question.history_tokens else None


def _hit(question: Asked) -> float | None:
    return None if question.result.hit is None else float(question.result.hit > 0)


def _share(values: Sequence[tuple[Asked, float | None]]) -> Share | None:
    known = [(one, value) for one, value in values if value is not None]
    if not known:
        return None
    scores = Grouped.of([value for _, value in known], [one.key[:2] for one, _ in known])
    interval = these_histories(scores)
    limits = (100 * interval.low, 100 * interval.high) if interval else None
    return Share(len(known), 100 * scores.mean, limits)


def _amount(tokens: int) -> str:
    if tokens < 1000:
        return str(tokens)
    return f"{tokens / 1024:.0f}k" if tokens < 1024**2 else f"{tokens / 1024**2:.0f}M"
