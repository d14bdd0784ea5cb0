"""A preference for letters of options is told from skewed golds, errors and luck."""

from collections import Counter

import numpy as np
import pytest

from mabench.uncertainty import LetteredAnswer, compare_letters


def _answers(
    random: np.random.Generator, golds: list[float], right: float, prefers_first: float = 0.0
) -> Counter[LetteredAnswer]:
    """200 answers by somebody who knows a share of them, and else guesses or says A."""
    options, weights = len(golds), np.array(golds) / sum(golds)
    gold = random.choice(options, 200, p=weights)
    other = (gold + random.integers(1, options, 200)) % options
    chosen = np.where(random.random(200) < right, gold, other)
    chosen = np.where(random.random(200) < prefers_first, 0, chosen)
    pairs = zip(gold.tolist(), chosen.tolist(), strict=True)
    return Counter(LetteredAnswer(options, *pair) for pair in pairs)


@pytest.mark.parametrize(
    ("golds", "right"),
    [([1, 1, 1, 1], 0.25), ([7, 1, 1, 1], 0.25), ([5, 2, 2, 1], 0.8), ([2, 1], 0.6)],
)
def test_no_preference_is_seldom_taken_for_one(golds: list[float], right: float) -> None:
    """Neither guesses nor golds that are mostly one letter are a preference."""
    random = np.random.default_rng(65)
    found = [compare_letters(_answers(random, golds, right)) for _ in range(200)]
    known = [p for p in found if p is not None]
    assert len(known) > 190
    assert sum(p < 0.05 for p in known) <= 20, "10 are expected"
    assert sum(p < 0.001 for p in known) <= 2


@pytest.mark.parametrize(("golds", "right"), [([1, 1, 1, 1], 0.25), ([5, 2, 2, 1], 0.7)])
def test_a_preference_is_found(golds: list[float], right: float) -> None:
    random = np.random.default_rng(65)
    found = [compare_letters(_answers(random, golds, right, 0.5)) for _ in range(20)]
    assert all(p is not None and p < 0.001 for p in found)


def test_two_options_tell_by_which_are_answered_right() -> None:
    always_first = {LetteredAnswer(2, 0, 0): 50, LetteredAnswer(2, 1, 0): 50}
    p = compare_letters(always_first)
    assert p is not None
    assert p < 1e-9


@pytest.mark.parametrize(
    "answers",
    [
        {},
        {LetteredAnswer(4, gold, gold): 50 for gold in range(4)},
        {LetteredAnswer(4, 0, 1): 3},
        {LetteredAnswer(1, 0, 0): 100},
        {LetteredAnswer(4, 0, 0): 1},
    ],
)
def test_where_nothing_can_tell_there_is_no_p(answers: dict[LetteredAnswer, int]) -> None:
    assert compare_letters(answers) is None


def test_questions_with_fewer_options_count_with_the_others() -> None:
    four = {LetteredAnswer(4, gold, 0): 20 for gold in range(4)}
    three = {LetteredAnswer(3, gold, (gold + 1) % 3): 10 for gold in range(3)}
    p = compare_letters({**four, **three})
    assert p is not None
    assert p < 0.001
