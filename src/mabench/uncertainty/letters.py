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
    """Return p of no preference, from how often there is each answer; None if nothing can tell.

    Questions with different numbers of options are added up letter by letter.
    """
    size = max((answer.options for answer in answers), default=0)
    total = _Choices(np.zeros(size), np.zeros(size), np.zeros((size, size)))
    # By the number of options: how many answers there are, by gold and letter.
    by_options: defaultdict[int, Floats] = defaultdict(lambda: np.zeros((size, size)))
    for answer, count in answers.items():
        by_options[answer.options][answer.gold, answer.chosen] += count
    for options, counts in by_options.items():
        own = _count_choices(counts[:options, :options])
        total.chosen[:options] += own.chosen
        total.expected[:options] += own.expected
        total.covariance[:options, :options] += own.covariance
    known = total.expected >= _FEWEST_EXPECTED
    excess, covariance = (total.chosen - total.expected)[known], total.covariance[known][:, known]
    # All choices add up to their number, so that one of them says nothing new.
    freedom = int(np.linalg.matrix_rank(covariance)) if known.any() else 0
    if not freedom:
        return None
    from scipy.special import chdtrc  # Takes longer to import than all of ours.

    return float(chdtrc(freedom, excess @ np.linalg.pinv(covariance, hermitian=True) @ excess))


def _count_choices(counts: Floats) -> _Choices:
    """Return how often each letter was chosen, and would be, of questions with as many options.

    Without a preference, the wrong answers are drawn from all alike, and each has one of the other
    letters. Its letter is then counted in place of the gold's.

    Args:
        counts: how many answers there are by gold and letter, in shape (options, options).
    """
    n, golds, options = counts.sum(), counts.sum(axis=1), len(counts)
    if n < 2 or options < 2:  # Nothing varies.
        return _Choices(np.zeros(options), np.zeros(options), np.zeros((options, options)))
    share_wrong = 1 - np.trace(counts) / n
    # By gold and letter: the chance of a letter of a wrong answer, and what one adds to the counts.
    chances = (1 - np.eye(options)) / (options - 1)
    changes = chances - np.eye(options)
    all_changes = golds @ changes  # If all answers were wrong.
    # The counts vary by which letters wrong answers have, and by which answers are wrong: these are
    # drawn without replacement, so that their variance has n / (n - 1).
    by_letters = np.diag(golds @ chances) - (chances.T * golds) @ chances
    by_answers = (changes.T * golds) @ changes - np.outer(all_changes, all_changes) / n
    variance_of_draw = share_wrong * (1 - share_wrong) * n / (n - 1)
    return _Choices(
        chosen=counts.sum(axis=0),
        expected=golds + share_wrong * all_changes,
        covariance=share_wrong * by_letters + variance_of_draw * by_answers,
    )
