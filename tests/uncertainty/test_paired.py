"""Paired differences: signs, p values and what could have been found."""

import numpy as np
import pytest
from benchmarks.intervals import false_positives
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binomtest, permutation_test
from statsmodels.stats.multitest import multipletests

from mabench.uncertainty.paired import benjamini_hochberg, difference, holm
from tests.uncertainty.test_intervals import grouped


def test_questions_and_histories_are_counted_by_the_sign_of_their_difference() -> None:
    found = difference(grouped([[1.0, 1.0, 0.0], [-1.0, 1.0], [-1.0]]))
    assert (found.questions, found.histories) == ((3, 2, 1), (1, 1, 1))
    assert found.difference == pytest.approx(1 / 6)


def test_one_history_has_mcnemars_p_and_none_for_new_ones() -> None:
    found = difference(grouped([[1.0] * 14 + [-1.0] * 3 + [0.0] * 83]))
    assert found.these_p == pytest.approx(binomtest(3, 17).pvalue)
    assert (found.new_p, found.new) == (None, None)
    assert found.these is not None
    assert found.these.low > 0


def test_five_histories_have_no_p_for_new_ones_and_six_have() -> None:
    assert difference(grouped([[1.0, 1.0]] * 5)).new_p is None
    assert difference(grouped([[1.0, 1.0]] * 6)).new_p == pytest.approx(2**-5)


@settings(deadline=None)
@given(st.lists(st.floats(-1, 1, width=16).filter(bool), min_size=6, max_size=11))
def test_flipped_histories_have_the_p_that_scipy_gives(totals: list[float]) -> None:
    ours = difference(grouped([[total] for total in totals])).new_p
    theirs = permutation_test(
        (np.asarray(totals),),
        lambda values, axis: values.sum(axis=axis),
        permutation_type="samples",
        vectorized=True,
        n_resamples=np.inf,
    ).pvalue
    assert ours == pytest.approx(theirs)


def test_many_histories_are_drawn_from_a_fixed_seed() -> None:
    random = np.random.default_rng(3)
    scores = grouped([[value] for value in random.normal(0.05, 0.2, 60).clip(-1, 1)])
    found = difference(scores).new_p
    assert found == difference(scores).new_p
    theirs = permutation_test(
        (scores.values,), lambda values, axis: values.sum(axis=axis), vectorized=True,
        permutation_type="samples", n_resamples=9_999, random_state=1,
    ).pvalue  # fmt: skip
    assert found == pytest.approx(theirs, abs=0.02)


def test_no_difference_at_all_is_no_finding() -> None:
    found = difference(grouped([[0.0] * 50] * 6))
    assert (found.these_p, found.new_p, found.new) == (1.0, 1.0, None)
    assert found.these is not None
    assert found.these.low < 0 < found.these.high
    assert found.these_spread.detectable > 0


def test_more_questions_make_smaller_differences_detectable() -> None:
    few, many = (
        difference(grouped([[1.0, 0.0, -1.0, 0.0] * n])).these_spread.detectable for n in (10, 100)
    )
    assert many < few / 2


@settings(max_examples=8, deadline=None)
@given(st.lists(st.floats(0.0001, 1), min_size=1, max_size=12))
def test_adjusted_p_values_are_those_of_statsmodels(values: list[float]) -> None:
    assert holm(values) == pytest.approx(list(multipletests(values, method="holm")[1]))
    expected = list(multipletests(values, method="fdr_bh")[1])
    assert benjamini_hochberg(values) == pytest.approx(expected)


@pytest.mark.parametrize("case", [(1, 100, 0.5, 0.0), (6, 20, 0.5, 0.3), (10, 20, 0.2, 0.1)])
def test_no_difference_is_found_in_at_most_5_percent(case: tuple[int, int, float, float]) -> None:
    rates = false_positives(*case, draws=800)
    # Two standard errors of 800 draws above 5 %.
    assert rates.these <= 0.066
    assert rates.new is None or rates.new <= 0.066
