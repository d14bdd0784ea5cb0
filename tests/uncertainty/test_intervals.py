"""Intervals of a mean and of paired differences: closed formulas, statsmodels, simulation."""

from itertools import pairwise, product
from random import Random

import numpy as np
import pytest
import statsmodels.api as sm
from benchmarks.intervals import coverage, false_positives
from benchmarks.race import race
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binomtest, permutation_test
from statsmodels.stats.proportion import proportion_confint

from mabench.uncertainty import (
    Components,
    Floats,
    Grouped,
    Part,
    Spread,
    compare_paired,
    confidence_sequence,
)
from mabench.uncertainty.betting import log_wealth

_SCORES = st.lists(
    st.lists(st.floats(0, 1, width=32), min_size=2, max_size=6), min_size=5, max_size=12
)


def grouped(histories: list[list[float]]) -> Grouped:
    pairs = [(value, index) for index, scores in enumerate(histories) for value in scores]
    return Grouped.of([value for value, _ in pairs], [index for _, index in pairs])


@pytest.mark.parametrize("right", [0, 1, 40, 99, 100])
def test_one_history_of_right_and_wrong_has_wilsons_interval(right: int) -> None:
    scores = grouped([[1.0] * right + [0.0] * (100 - right)])
    wilson = proportion_confint(right, 100, method="wilson")
    assert scores.these_histories() == pytest.approx(wilson, abs=1e-9)
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
    limits = pytest.approx(tuple(fit.conf_int()[0]), abs=1e-9)
    assert scores.new_histories() == compare_paired(scores).new == limits


def test_graded_scores_of_these_histories_have_the_stratified_variance() -> None:
    scores = grouped([[0.45, 0.5, 0.55], [0.42, 0.44]])
    variance = (3 / 5) ** 2 * 0.0025 / 3 + (2 / 5) ** 2 * 0.0002 / 2
    half = 3.182446305284263 * variance**0.5  # By t of 3 degrees of freedom.
    assert scores.these_histories() == pytest.approx((0.472 - half, 0.472 + half))


def test_nothing_is_said_where_too_little_varies() -> None:
    assert grouped([[0.0, 1.0]] * 4).new_histories() is None
    for right in range(3):
        alike = [[float(index < right), *[0.0] * 19] for index in range(8)]
        for histories in (alike, [[1 - value for value in history] for history in alike]):
            assert grouped(histories).new_histories() is None
    one_each = grouped([[1.0]] * 30 + [[0.0]] * 20)
    assert one_each.these_histories() is None
    assert one_each.new_histories() is not None


@given(_SCORES, st.randoms())
def test_intervals_hold_the_mean_whatever_the_order(
    histories: list[list[float]], random: Random
) -> None:
    scores = grouped(histories)
    order = random.sample(range(scores.n), scores.n)
    other = Grouped.of(scores.values[order], scores.histories[order].tolist())
    for one, again in (
        (scores.these_histories(), other.these_histories()),
        (scores.new_histories(), other.new_histories()),
    ):
        if one:
            assert again == pytest.approx(one)
            assert 0 <= one.low <= scores.mean + 1e-9
            assert scores.mean - 1e-9 <= one.high <= 1


def test_a_mean_of_sources_adds_variances_with_satterthwaites_freedom() -> None:
    parts = [Part(0.5, 0.2, Spread(0.01, 4)), Part(0.5, 0.6, Spread(0.03, 9))]
    mean, spread = Part.combine(parts)
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


def drawn(groups: int, questions: int, builds: int, *, seed: int = 0) -> tuple[Floats, Grouped]:
    """Draw differences whose parts have the variances 0.04, 0.02, 0.09 and 0.03."""
    random = np.random.default_rng(seed)
    histories = np.repeat(np.arange(groups), questions)
    fixed = 0.2 * random.normal(size=groups)[histories] + 0.3 * random.normal(size=histories.size)
    of_builds = np.sqrt(0.02) * random.normal(size=(builds, groups))[:, histories]
    values = fixed + of_builds + np.sqrt(0.03) * random.normal(size=of_builds.shape)
    return values, Grouped.of(values.mean(axis=0), histories.tolist())


def test_the_parts_of_the_variance_are_found_again() -> None:
    found = Components.of(*drawn(4_000, 10, 3))
    assert found == pytest.approx((0.04, 0.02, 0.09, 0.03), rel=0.08)
    assert found
    assert found.variance(10, 3) == pytest.approx(0.04 + 0.009 + (0.02 + 0.003) / 3, rel=0.05)
    # One build shows no builds, and their variance is in the others.
    found = Components.of(*drawn(4_000, 10, 1))
    assert found
    assert (found.build, found.rest) == (None, 0.0)
    assert (found.history, found.question) == pytest.approx((0.06, 0.12), rel=0.05)
    values, histories = drawn(50, 7, 2, seed=4)
    found = Components.of(values, histories)
    assert found
    seen = (histories.totals / histories.sizes).var(ddof=1)
    assert found.variance(7, 2) == pytest.approx(seen)


def test_one_history_tells_nothing_and_one_question_each_tells_of_histories_alone() -> None:
    assert Components.of(*drawn(1, 20, 1)) is None
    found = Components.of(*drawn(30, 1, 1))
    assert found
    assert (found.question, found.rest, found.history > 0) == (0.0, 0.0, True)


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
        assert log_wealth(sign * tied, 0.0)[-1] == pytest.approx(log_wealth(sign * x, 0.0)[-1])
        assert log_wealth(sign * tied, None)[-1] == pytest.approx(log_wealth(sign * x, None)[-1])
    ends = [[each[-1].low >= 0, each[-1].high <= 0] for each in map(confidence_sequence, (x, tied))]
    assert ends[0] == ends[1]
    other = np.array(random.sample(x.tolist(), len(x)))
    assert log_wealth(other, 0.1)[-1] == pytest.approx(log_wealth(x, 0.1)[-1])


def test_a_bet_is_fair_where_the_mean_is_true() -> None:
    # Of all sequences of five draws that are 1 in 1 of 4 cases, else -0.2: the mean is 0.1.
    draws = np.array(np.meshgrid(*[[1.0, -0.2]] * 5)).reshape(5, -1).T
    chances = np.where(draws > 0, 0.25, 0.75).prod(axis=1)
    assert chances @ np.exp(log_wealth(draws, 0.1)[:, -1]) == pytest.approx(1)
    assert chances @ np.exp(log_wealth(draws, 0.2)[:, -1]) < 1
    signs = np.array(np.meshgrid(*[[0.4, -0.4]] * 5)).reshape(5, -1).T
    assert np.exp(log_wealth(signs, None)[:, -1]).mean() == pytest.approx(1)


def test_six_histories_cannot_decide_and_seven_large_differences_do() -> None:
    ends = [interval.low >= 0 for interval in confidence_sequence(np.full(8, 0.6))]
    assert ends == [False] * 6 + [True] * 2


@pytest.mark.parametrize("kind", ["low", "high"])
def test_races_between_equals_are_decided_wrongly_in_few_cases(kind: str) -> None:
    found = race(kind, 0.0, 600, 60)
    assert found.wrong <= 0.05
    assert found.held >= 0.95


def test_races_find_what_is_there_about_as_soon_as_a_test_of_a_fixed_number() -> None:
    found = race("medium", 0.15, 300, 60)
    assert found.right >= 0.99
    assert found.wrong <= 0.01
    assert found.fixed
    assert found.histories < 2 * found.fixed
