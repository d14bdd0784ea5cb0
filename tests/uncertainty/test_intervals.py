"""Intervals of a mean: closed formulas, statsmodels, simulation."""

from itertools import product
from random import Random

import numpy as np
import pytest
import statsmodels.api as sm
from benchmarks.claims import coverage
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.proportion import proportion_confint

from mabench.uncertainty import Grouped, Spread, WeightedPart
from mabench.uncertainty.shares import new_histories
from tests.uncertainty.histories import grouped


def scored(histories: list[list[float]]) -> Grouped:
    return grouped(histories, lowest=0.0)


_SCORES = st.lists(
    st.lists(st.floats(0, 1, width=32), min_size=2, max_size=6), min_size=5, max_size=12
)


@pytest.mark.parametrize("right", [0, 1, 40, 99, 100])
def test_one_history_of_right_and_wrong_has_wilsons_interval(right: int) -> None:
    scores = scored([[1.0] * right + [0.0] * (100 - right)])
    wilson = proportion_confint(right, 100, method="wilson")
    assert scores.these_histories() == pytest.approx(wilson, abs=1e-9)
    assert new_histories(scores) is None


def test_graded_scores_of_new_histories_have_the_interval_of_cluster_robust_regression() -> None:
    random = np.random.default_rng(5)
    scores = scored([list(random.random(7) * random.random()) for _ in range(6)])
    fit = sm.OLS(scores.values, np.ones(scores.n)).fit(
        cov_type="cluster", cov_kwds={"groups": scores.histories}, use_t=True
    )
    limits = tuple(fit.conf_int()[0].clip(0, 1))
    assert new_histories(scores) == pytest.approx(limits, abs=1e-9)


def test_graded_scores_of_these_histories_have_the_stratified_variance() -> None:
    scores = scored([[0.45, 0.5, 0.55], [0.42, 0.44]])
    variance = (3 / 5) ** 2 * 0.0025 / 3 + (2 / 5) ** 2 * 0.0002 / 2
    half = 3.182446305284263 * variance**0.5  # By t of 3 degrees of freedom.
    assert scores.these_histories() == pytest.approx((0.472 - half, 0.472 + half))


def test_where_too_little_varies_each_history_is_one_draw() -> None:
    assert new_histories(scored([[0.0, 1.0]] * 4)) is None
    for right in range(3):
        alike = [[float(index < right), *[0.0] * 19] for index in range(8)]
        low, high = new_histories(scored(alike)) or (1.0, 0.0)
        assert (low, high) == pytest.approx(proportion_confint(right / 20, 8, method="wilson"))
        other = new_histories(scored([[1 - value for value in history] for history in alike]))
        assert other == pytest.approx((1 - high, 1 - low))
    one_each = scored([[1.0]] * 30 + [[0.0]] * 20)
    assert one_each.these_histories() is None
    assert new_histories(one_each) is not None


@given(_SCORES, st.randoms())
def test_intervals_hold_the_mean_whatever_the_order(
    histories: list[list[float]], random: Random
) -> None:
    scores = scored(histories)
    order = random.sample(range(scores.n), scores.n)
    other = Grouped.of(scores.values[order], scores.histories[order].tolist())
    for one, again in (
        (scores.these_histories(), other.these_histories()),
        (new_histories(scores), new_histories(other)),
    ):
        if one:
            assert again == pytest.approx(one)
            assert 0 <= one.low <= scores.mean + 1e-9
            assert scores.mean - 1e-9 <= one.high <= 1


def test_a_mean_of_sources_adds_variances_with_satterthwaites_freedom() -> None:
    parts = [WeightedPart(0.5, 0.2, Spread(0.01, 4)), WeightedPart(0.5, 0.6, Spread(0.03, 9))]
    mean, spread = WeightedPart.combine(parts)
    freedom = 0.01**2 / (0.0025**2 / 4 + 0.0075**2 / 9)
    assert (mean, *spread) == pytest.approx((0.4, 0.01, freedom))


@pytest.mark.parametrize(
    "case", [(1, 100, 0.2, 0.3), (5, 60, 0.5, 0.05), (10, 20, 0.2, 0.1), (100, 1, 0.5, 0.0)]
)
def test_the_true_mean_is_held_in_about_95_percent(case: tuple[int, int, float, float]) -> None:
    for found in coverage(*case, draws=1_500):
        # Three standard errors of 1,500 draws around the limits of 93 and 97 %.
        assert 0.93 - 0.017 <= found.held <= 0.97 + 0.013, found


@pytest.mark.slow
def test_the_true_mean_is_held_wherever_an_interval_is_offered() -> None:
    sizes = ((1, 100), (2, 50), (5, 60), (10, 20), (10, 100), (100, 10))
    for size, mean, correlation in product(sizes, (0.05, 0.2, 0.5, 0.95), (0.0, 0.1, 0.3)):
        for found in coverage(*size, mean, correlation, draws=4_000):
            assert found.offered <= 0.2 or 0.92 <= found.held <= 0.98, found
