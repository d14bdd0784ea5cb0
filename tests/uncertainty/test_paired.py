"""Paired differences: signs, p values, and intervals that hold at every moment."""

from itertools import pairwise

import numpy as np
import pytest
from benchmarks.intervals import false_positives
from benchmarks.race import race
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binomtest, permutation_test

from mabench.uncertainty import Floats
from mabench.uncertainty.paired import (
    _log_capital,
    _log_flip_capital,
    confidence_sequence,
    difference,
)
from tests.uncertainty.test_intervals import grouped

_HISTORIES = st.lists(st.integers(-20, 20).map(lambda n: n / 20), min_size=1, max_size=25).map(
    np.array
)


def flip(totals: Floats, draws: float) -> float:
    """Return the p that scipy gives for a change of signs."""
    found = permutation_test(
        (totals,), lambda values, axis: values.sum(axis=axis), vectorized=True,
        permutation_type="samples", n_resamples=draws, random_state=1,
    )  # fmt: skip
    return float(found.pvalue)


def test_questions_and_histories_are_counted_by_the_sign_of_their_difference() -> None:
    found = difference(grouped([[1.0, 1.0, 0.0], [-1.0, 1.0], [-1.0]]))
    assert (found.questions, found.histories) == ((3, 2, 1), (1, 1, 1))
    assert found.difference == pytest.approx(1 / 6)


def test_one_history_has_mcnemars_p_and_six_have_one_for_new_ones() -> None:
    found = difference(grouped([[1.0] * 14 + [-1.0] * 3 + [0.0] * 83]))
    assert found.these_p == pytest.approx(binomtest(3, 17).pvalue)
    assert (found.new_p, found.new) == (None, None)
    assert found.these
    assert found.these.low > 0
    assert difference(grouped([[1.0, 1.0]] * 5)).new_p is None
    assert difference(grouped([[1.0, 1.0]] * 6)).new_p == pytest.approx(2**-5)


@settings(deadline=None)
@given(st.lists(st.floats(-1, 1, width=16).filter(bool), min_size=6, max_size=11))
def test_flipped_histories_have_the_p_that_scipy_gives(totals: list[float]) -> None:
    ours = difference(grouped([[total] for total in totals])).new_p
    assert ours == pytest.approx(flip(np.asarray(totals), np.inf))


def test_many_histories_are_drawn_from_a_fixed_seed() -> None:
    random = np.random.default_rng(3)
    scores = grouped([[value] for value in random.normal(0.05, 0.2, 60).clip(-1, 1)])
    found = difference(scores).new_p
    assert found == difference(scores).new_p
    assert found == pytest.approx(flip(scores.values, 9_999), abs=0.02)


def test_no_difference_at_all_is_no_finding_and_more_questions_find_smaller_ones() -> None:
    found = difference(grouped([[0.0] * 50] * 6))
    assert (found.these_p, found.new_p, found.new) == (1.0, 1.0, None)
    assert found.these
    assert found.these.low < 0 < found.these.high
    assert found.these_spread.detectable > 0
    few, many = (
        difference(grouped([[1.0, 0.0, -1.0, 0.0] * n])).these_spread.detectable for n in (10, 100)
    )
    assert many < few / 2


@pytest.mark.parametrize("case", [(1, 100, 0.5, 0.0), (6, 20, 0.5, 0.3), (10, 20, 0.2, 0.1)])
def test_no_difference_is_found_in_at_most_5_percent(case: tuple[int, int, float, float]) -> None:
    rates = false_positives(*case, draws=800)
    # Two standard errors of 800 draws above 5 %.
    assert rates.these <= 0.066
    assert rates.new is None or rates.new <= 0.066


@settings(deadline=None, max_examples=40)
@given(_HISTORIES, st.data())
def test_intervals_shrink_turn_round_with_the_agents_and_follow_the_evidence(
    x: Floats, data: st.DataObject
) -> None:
    found = confidence_sequence(x)
    for before, after in pairwise(found):
        assert before.low <= after.low <= after.high <= before.high
    more = x.copy()
    place = data.draw(st.integers(0, len(x) - 1))
    more[place] = data.draw(st.floats(x[place], 1))
    raised = confidence_sequence(more)
    for one, turned, high in zip(found, confidence_sequence(-x), raised, strict=True):
        assert one == pytest.approx((-turned.high, -turned.low), abs=1e-6)
        assert high.low >= one.low - 1e-6
        assert high.high >= one.high - 1e-6


@settings(deadline=None, max_examples=40)
@given(_HISTORIES, st.integers(0, 25), st.integers(1, 5), st.randoms())
def test_ties_and_the_order_of_histories_neither_help_nor_harm(  # type: ignore[no-untyped-def]
    x: Floats, place: int, ties: int, random
) -> None:
    tied = np.insert(x, min(place, len(x)), [0.0] * ties)
    for sign in (1, -1):
        assert _log_capital(sign * tied, 0.0)[-1] == pytest.approx(_log_capital(sign * x, 0.0)[-1])
        assert _log_flip_capital(sign * tied)[-1] == pytest.approx(_log_flip_capital(sign * x)[-1])
    ends = [[each[-1].low >= 0, each[-1].high <= 0] for each in map(confidence_sequence, (x, tied))]
    assert ends[0] == ends[1]
    other = np.array(random.sample(x.tolist(), len(x)))
    assert _log_capital(other, 0.1)[-1] == pytest.approx(_log_capital(x, 0.1)[-1])


def test_a_bet_is_fair_where_the_mean_is_true() -> None:
    # Of all sequences of five draws that are 1 in 1 of 4 cases, else -0.2: the mean is 0.1.
    draws = np.array(np.meshgrid(*[[1.0, -0.2]] * 5)).reshape(5, -1).T
    chances = np.where(draws > 0, 0.25, 0.75).prod(axis=1)
    assert chances @ np.exp(_log_capital(draws, 0.1)[:, -1]) == pytest.approx(1)
    assert chances @ np.exp(_log_capital(draws, 0.2)[:, -1]) < 1
    signs = np.array(np.meshgrid(*[[0.4, -0.4]] * 5)).reshape(5, -1).T
    assert np.exp(_log_flip_capital(signs)[:, -1]).mean() == pytest.approx(1)


def test_six_histories_cannot_decide_and_seven_large_differences_do() -> None:
    ends = [interval.low >= 0 for interval in confidence_sequence(np.full(8, 0.6))]
    assert ends == [False] * 6 + [True] * 2


@pytest.mark.parametrize("kind", ["calm", "rough"])
def test_races_between_equals_are_decided_wrongly_in_few_cases(kind: str) -> None:
    found = race(kind, 0.0, 600, 60)
    assert found.wrong <= 0.05
    assert found.held >= 0.95


def test_races_find_what_is_there_about_as_soon_as_a_test_of_a_fixed_number() -> None:
    found = race("middling", 0.15, 300, 60)
    assert found.right >= 0.99
    assert found.wrong <= 0.01
    assert found.fixed
    assert found.histories < 2 * found.fixed
