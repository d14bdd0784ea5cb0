"""Whether answers to questions with lettered options prefer some letters, whatever is right.

Without a preference, which questions are answered right does not depend on the letter of the gold,
and a wrong answer is as likely to be any of the other letters. How often each letter is then chosen
has a known mean and variance, and is compared with how often it was by a chi-squared test.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from mabench.uncertainty.grouped import Floats

# With fewer choices that are expected of it, a letter is left out of the test.
_FEWEST_EXPECTED = 5.0


class LetteredAnswer(NamedTuple):
    """The answer to a question with options, which are counted from 0."""

    options: int  # How many there are.
    gold: int
    chosen: int


class _Choices(NamedTuple):
    """How often each letter was chosen, and how often it would be without a preference."""

    chosen: Floats
    expected: Floats
    covariance: Floats  # Of the first, without a preference.


def compare_letters(answers: Mapping[LetteredAnswer, int]) -> float | None:
    """Return p of no preference, from how often there is each answer; None if nothing can tell."""
    size = max((answer.options for answer in answers), default=0)
    total = _Choices(np.zeros(size), np.zeros(size), np.zeros((size, size)))
    by_options: defaultdict[int, Floats] = defaultdict(lambda: np.zeros((size, size)))
    for answer, count in answers.items():
        by_options[answer.options][answer.gold, answer.chosen] += count
    for options, counts in by_options.items():
        own = _choices(counts[:options, :options])
        for whole, part in zip(total, own, strict=True):
            whole[tuple(slice(options) for _ in part.shape)] += part
    known = total.expected >= _FEWEST_EXPECTED
    excess, covariance = (total.chosen - total.expected)[known], total.covariance[known][:, known]
    freedom = int(np.linalg.matrix_rank(covariance)) if known.any() else 0
    if not freedom:
        return None
    from scipy.special import chdtrc  # Takes longer to import than all of ours.

    return float(chdtrc(freedom, excess @ np.linalg.pinv(covariance, hermitian=True) @ excess))


def _choices(counts: Floats) -> _Choices:
    """Return the choices of questions with as many options each, by their golds and letters."""
    n, golds, options = counts.sum(), counts.sum(axis=1), len(counts)
    if n < 2 or options < 2:
        return _Choices(*(np.zeros(shape) for shape in (options, options, counts.shape)))
    wrong = 1 - np.trace(counts) / n
    other = (1 - np.eye(options)) / (options - 1)  # The chances of letters, by the gold.
    away = other - np.eye(options)  # What a wrong answer adds to the golds, on average.
    moved = golds @ away
    # Which letter a wrong answer has, and which answers are wrong.
    letters = np.diag(golds @ other) - (other.T * golds) @ other
    places = (away.T * golds) @ away - np.outer(moved, moved) / n
    covariance = wrong * letters + wrong * (1 - wrong) * n / (n - 1) * places
    return _Choices(counts.sum(axis=0), golds + wrong * moved, covariance)
