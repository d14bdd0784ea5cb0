"""Paired differences: closed formulas, scipy's tests, simulation."""

import numpy as np
import pytest
from benchmarks.intervals import false_positives
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binomtest, permutation_test

from mabench.uncertainty import (
    Floats,
    compare_paired,
)
from tests.uncertainty.histories import grouped


def flip(totals: Floats, draws: float) -> float:
    """Return the p that scipy gives for a change of signs."""
    found = permutation_test(
        (totals,), lambda values, axis: values.sum(axis=axis), vectorized=True,
        permutation_type="samples", n_resamples=draws, random_state=1,
    )  # fmt: skip
    return float(found.pvalue)


def test_signs_are_counted_and_one_history_has_mcnemars_p_and_six_one_for_new_ones() -> None:
    found = compare_paired(grouped([[1.0, 1.0, 0.0], [-1.0, 1.0], [-1.0]]))
    assert (found.questions, found.histories) == ((3, 2, 1), (1, 1, 1))
    assert found.difference == pytest.approx(1 / 6)
    found = compare_paired(grouped([[1.0] * 14 + [-1.0] * 3 + [0.0] * 83]))
    assert found.these_p == pytest.approx(binomtest(3, 17).pvalue)
    assert (found.new_p, found.new) == (None, None)
    assert found.these
    assert found.these.low > 0
    assert compare_paired(grouped([[1.0, 1.0]] * 5)).new_p is None
    assert compare_paired(grouped([[1.0, 1.0]] * 6)).new_p == pytest.approx(2**-5)


@settings(deadline=None)
@given(st.lists(st.floats(-1, 1, width=16).filter(bool), min_size=6, max_size=11))
def test_flipped_histories_have_the_p_that_scipy_gives(totals: list[float]) -> None:
    ours = compare_paired(grouped([[total] for total in totals])).new_p
    assert ours == pytest.approx(flip(np.asarray(totals), np.inf))


def test_many_histories_are_drawn_from_a_fixed_seed() -> None:
    random = np.random.default_rng(3)
    scores = grouped([[value] for value in random.normal(0.05, 0.2, 60).clip(-1, 1)])
    found = compare_paired(scores).new_p
    assert found == compare_paired(scores).new_p
    assert found == pytest.approx(flip(scores.values, 9_999), abs=0.02)


def test_no_difference_at_all_is_no_finding_and_more_questions_find_smaller_ones() -> None:
    found = compare_paired(grouped([[0.0] * 50] * 6))
    assert (found.these_p, found.new_p, found.new) == (1.0, 1.0, None)
    assert found.these
    assert found.these.low < 0 < found.these.high
    assert found.these_spread.detectable > 0
    few, many = (
        compare_paired(grouped([[1.0, 0.0, -1.0, 0.0] * n])).these_spread.detectable
        for n in (10, 100)
    )
    assert many < few / 2


@pytest.mark.parametrize("case", [(1, 100, 0.5, 0.0), (6, 20, 0.5, 0.3), (10, 20, 0.2, 0.1)])
def test_no_difference_is_found_in_at_most_5_percent(case: tuple[int, int, float, float]) -> None:
    rates = false_positives(*case, draws=800)
    # Two standard errors of 800 draws above 5 %.
    assert rates.these <= 0.066
    assert rates.new is None or rates.new <= 0.066
