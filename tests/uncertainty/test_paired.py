"""Paired differences of these histories: closed formulas, statsmodels, simulation."""

import numpy as np
import pytest
from scipy.stats import binomtest
from statsmodels.stats.weightstats import DescrStatsW

from mabench.uncertainty import compare_paired
from tests.uncertainty.histories import grouped


def test_signs_are_counted() -> None:
    found = compare_paired(grouped([[1.0, 1.0, 0.0], [-1.0, 1.0], [-1.0]]))
    assert (found.questions, found.histories) == ((3, 2, 1), (1, 1, 1))
    assert found.difference == pytest.approx(1 / 6)
    assert found.new is None


def test_graded_scores_of_one_history_have_the_t_test_of_statsmodels() -> None:
    values = np.random.default_rng(3).normal(0.1, 0.3, 60).clip(-1, 1)
    found = compare_paired(grouped([values.tolist()])).these
    assert found
    assert found.interval(-1.0, 1.0) == pytest.approx(DescrStatsW(values).tconfint_mean())
    assert found.p == pytest.approx(DescrStatsW(values).ttest_mean(0)[1])


def test_few_questions_that_differ_decide_as_mcnemars_exact_test_does() -> None:
    for won in range(12):
        for lost in range(min(won, 12 - won) + 1):
            history = [1.0] * won + [-1.0] * lost + [0.0] * (200 - won - lost)
            found = compare_paired(grouped([history])).these
            assert found
            exact = binomtest(lost, won + lost).pvalue if won + lost else 1.0
            assert (found.p < 0.05) == (exact < 0.05), (won, lost)


def test_no_difference_at_all_is_no_finding_and_more_questions_find_smaller_ones() -> None:
    found = compare_paired(grouped([[0.0] * 50] * 6))
    for one in (found.these, found.new):
        assert one
        assert one.p == 1.0
        low, high = one.interval(-1.0, 1.0)
        assert low < 0 < high
        assert one.spread.detectable() > 0
    few, many = (
        estimate.spread.detectable()
        for n in (10, 100)
        if (estimate := compare_paired(grouped([[1.0, 0.0, -1.0, 0.0] * n])).these)
    )
    assert many < few / 2
