"""The figures of a page that no summary has: by place of the gold, by length, by time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise
from math import log2
from typing import NamedTuple

import numpy as np

from mabench.page.questions import PageQuestion
from mabench.reports.tables import Measure
from mabench.uncertainty import Grouped, these_histories

_PLACES = 5


class Share(NamedTuple):
    """The mean of ``n`` questions, from 0 to 100, with its interval for these histories."""

    n: int
    mean: Measure


class Bin(NamedTuple):
    """Questions that are alike in one thing, such as the place of their gold."""

    name: str  # What they have in common, for a reader.
    score: Share | None  # Official; None where none has one.
    hit: Share | None  # For which a gold was retrieved; None where it is sought for none.


class Times(NamedTuple):
    """How long answers took, in seconds: median, 95th percentile, most."""

    p50: float
    p95: float
    longest: float


def bin_places(questions: Iterable[PageQuestion]) -> list[Bin]:
    """Return the questions by the fifth of the history in which their last gold stands."""
    edges = [round(100 * place / _PLACES) for place in range(_PLACES + 1)]
    names = [f"{low}\N{EN DASH}{high} %" for low, high in pairwise(edges)]

    def place(question: PageQuestion) -> int | None:
        depth = question.depth
        return None if depth is None else min(_PLACES - 1, int(_PLACES * depth / 100))

    return _bins(questions, place, names.__getitem__)


def bin_lengths(questions: Iterable[PageQuestion]) -> list[Bin]:
    """Return the questions about histories of known length, by doublings of the length."""

    def doublings(question: PageQuestion) -> int | None:
        return int(log2(question.history_tokens)) if question.history_tokens else None

    def amount(tokens: int) -> str:
        if tokens < 1000:
            return str(tokens)
        return f"{tokens / 1024:.0f}k" if tokens < 1024**2 else f"{tokens / 1024**2:.0f}M"

    def name(power: int) -> str:
        return f"{amount(2**power)}\N{EN DASH}{amount(2 ** (power + 1))}"

    return _bins(questions, doublings, name)


def answer_times(questions: Sequence[PageQuestion]) -> Times | None:
    """Return how long answers took; None unless it is known of every question."""
    seconds = [float(one.view.seconds) for one in questions if one.view.seconds is not None]
    if not seconds or len(seconds) < len(questions):
        return None
    p50, p95 = np.quantile(seconds, [0.5, 0.95])
    return Times(float(p50), float(p95), max(seconds))


def error_kinds(questions: Iterable[PageQuestion]) -> list[tuple[str, int, str]]:
    """Return each kind of error with its number and first message, the most common first."""
    counts: Counter[str] = Counter()
    messages: dict[str, str] = {}
    for question in questions:
        if question.view.sample.prediction is None:
            kind, _, message = (question.view.sample.error or "no answer").partition(":")
            counts[kind] += 1
            messages.setdefault(kind, message.strip())
    return [(kind, number, messages[kind]) for kind, number in counts.most_common()]


def _bins(
    questions: Iterable[PageQuestion],
    bin_of: Callable[[PageQuestion], int | None],
    name_of: Callable[[int], str],
) -> list[Bin]:
    bins: dict[int, list[PageQuestion]] = {}
    for question in questions:
        number = bin_of(question)
        if number is not None:
            bins.setdefault(number, []).append(question)
    return [
        Bin(
            name_of(number),
            _share(bins[number], lambda question: question.view.official),
            _share(bins[number], lambda question: question.hit and question.hit > 0),
        )
        for number in sorted(bins)
    ]


def _share(
    questions: Iterable[PageQuestion], value_of: Callable[[PageQuestion], float | None]
) -> Share | None:
    values = [(one.key[:2], value) for one in questions if (value := value_of(one)) is not None]
    if not values:
        return None
    scores = Grouped.of([float(value) for _, value in values], [row for row, _ in values])
    interval = these_histories(scores)
    limits = (100 * interval.low, 100 * interval.high) if interval else None
    return Share(len(values), Measure(100 * scores.mean, limits))
