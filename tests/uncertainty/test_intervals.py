"""The two intervals of a mean, against closed formulas, statsmodels and simulation."""

from random import Random

import numpy as np
import pytest
import statsmodels.api as sm
from benchmarks.intervals import coverage
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.proportion import proportion_confint

from mabench.uncertainty import Grouped, Part, Spread, combine

_SCORES = st.integers(5, 12).flatmap(
    lambda groups: st.lists(
        st.lists(st.floats(0, 1, width=32), min_size=2, max_size=6),
        min_size=groups,
        max_size=groups,
    )
)


def grouped(histories: list[list[float]]) -> Grouped:
    pairs = [(value, index) for index, scores in enumerate(histories) for value in scores]
    return Grouped.of([value for value, _ in pairs], [index for _, index in pairs])


@pytest.mark.parametrize("right", [0, 1, 40, 99, 100])
def test_one_history_of_right_and_wrong_has_wilsons_interval(right: int) -> None:
    scores = grouped([[1.0] * right + [0.0] * (100 - right)])
    assert scores.these_histories() == pytest.approx(
        proportion_confint(right, 100, method="wilson"), abs=1e-9
    )
    assert scores.new_histories() is None


def test_graded_scores_of_new_histories_have_the_interval_of_cluster_robust_regression() -> None:
    random = np.random.default_rng(5)
    sizes = [3, 9, 4, 20, 7, 6]
    scores = grouped([list(random.random(size) * random.random()) for size in sizes])
    fit = sm.OLS(scores.values, np.ones(scores.n)).fit(
        cov_type="cluster",
        # statsmodels also corrects for regressors, (n - 1) / (n - k) = 1 with the mean alone.
        cov_kwds={"groups": scores.histories, "use_correction": True},
        use_t=True,
    )
    assert scores.new_histories() == pytest.approx(tuple(fit.conf_int()[0]), abs=1e-9)


def test_graded_scores_of_these_histories_have_the_stratified_variance() -> None:
    scores = grouped([[0.45, 0.5, 0.55], [0.42, 0.44]])
    variance = (3 / 5) ** 2 * 0.0025 / 3 + (2 / 5) ** 2 * 0.0002 / 2
    half = 3.182446305284263 * variance**0.5  # By t of 3 degrees of freedom.
    assert scores.these_histories() == pytest.approx((0.472 - half, 0.472 + half))


def test_nothing_is_said_of_new_histories_from_fewer_than_five() -> None:
    assert grouped([[0.0, 1.0]] * 4).new_histories() is None


@pytest.mark.parametrize("right", [0, 1, 2])
def test_nothing_is_said_of_new_histories_where_almost_all_are_alike(right: int) -> None:
    histories = [[0.0] * 20 for _ in range(8)]
    for history in histories[:right]:
        history[0] = 1.0
    assert grouped(histories).new_histories() is None
    flipped = [[1 - value for value in history] for history in histories]
    assert grouped(flipped).new_histories() is None


def test_one_question_each_leaves_the_interval_of_new_histories_alone() -> None:
    scores = grouped([[1.0]] * 30 + [[0.0]] * 20)
    assert scores.these_histories() is None
    assert scores.new_histories() is not None


@given(_SCORES)
def test_intervals_hold_the_mean_within_what_scores_can_be(histories: list[list[float]]) -> None:
    scores = grouped(histories)
    for interval in (scores.these_histories(), scores.new_histories()):
        if interval:
            assert 0 <= interval.low <= scores.mean + 1e-9
            assert scores.mean - 1e-9 <= interval.high <= 1


@given(_SCORES, st.randoms())
def test_the_order_of_questions_does_not_matter(
    histories: list[list[float]], random: Random
) -> None:
    scores = grouped(histories)
    order = list(range(scores.n))
    random.shuffle(order)
    other = Grouped.of(scores.values[order], [int(scores.histories[index]) for index in order])
    assert other.these_histories() == pytest.approx(scores.these_histories())
    if new := scores.new_histories():
        assert other.new_histories() == pytest.approx(new)


def test_a_mean_of_sources_adds_variances_with_satterthwaites_freedom() -> None:
    parts = [Part(0.5, 0.2, Spread(0.01, 4)), Part(0.5, 0.6, Spread(0.03, 9))]
    mean, spread = combine(parts)
    assert mean == pytest.approx(0.4)
    assert spread.variance == pytest.approx(0.01)
    assert spread.freedom == pytest.approx(0.01**2 / (0.0025**2 / 4 + 0.0075**2 / 9))


@pytest.mark.parametrize(
    "case", [(1, 100, 0.2, 0.3), (5, 60, 0.5, 0.05), (10, 20, 0.2, 0.1), (100, 1, 0.5, 0.0)]
)
def test_the_true_mean_is_held_in_about_95_percent(case: tuple[int, int, float, float]) -> None:
    for found in coverage(*case, draws=1_500):
        # Three standard errors of 1,500 draws around the limits of 93 and 97 %.
        assert 0.93 - 0.017 <= found.held <= 0.97 + 0.013, found


@pytest.mark.slow
def test_the_true_mean_is_held_wherever_an_interval_is_offered() -> None:
    for groups, size in ((1, 100), (2, 50), (5, 60), (10, 20), (10, 100), (100, 10)):
        for mean in (0.05, 0.2, 0.5, 0.95):
            for correlation in (0.0, 0.1, 0.3):
                for found in coverage(groups, size, mean, correlation, draws=4_000):
                    if found.offered > 0.2:
                        assert 0.92 <= found.held <= 0.98, found
