"""The test of a mean over new histories: R's clubSandwich, statsmodels, scipy, simulation."""

import csv
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
import statsmodels.api as sm
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import ttest_1samp, ttest_rel

from mabench.uncertainty import Estimate, Grouped, Spread, compare_paired, estimate_new
from mabench.uncertainty import speaks_of_new as speaks
from tests.uncertainty.histories import grouped

# By clubSandwich 0.5.8 and R 4.2.2, of the tables below, f being n^2 / sum of n_h^2 - 1:
#   v <- vcovCR(lm(d ~ 1), cluster = history, type = "CR3"); se <- sqrt(v * (G - 1) / G)
#   low, high <- mean(d) -+ qt(.975, f) * se; p <- 2 * pt(-abs(mean(d)) / se, f)
_REFERENCE = Path(__file__).with_name("clubsandwich.csv")
_DIFFERENCES = st.lists(
    st.lists(st.sampled_from([-1.0, 0.0, 1.0]), min_size=2, max_size=6), min_size=6, max_size=12
)


def simulated_table(number: int) -> Grouped:
    """Draw the differences of histories of unequal sizes."""
    random = np.random.default_rng(number)
    sizes = random.integers(3, 40, int(random.integers(5, 25)))
    deviation, mean = random.uniform(0, 0.3), random.uniform(-0.2, 0.2)
    histories = []
    for size in sizes:
        share = np.clip(0.5 + random.normal(0, deviation), 0.02, 0.98)
        other = np.clip(share - mean, 0.02, 0.98)
        won = (random.random(size) < share).astype(float)
        histories.append((won - (random.random(size) < other)).tolist())
    return grouped(histories)


def new(differences: Grouped) -> Estimate:
    return estimate_new([(1.0, differences)])


def test_fifty_tables_have_the_intervals_and_p_of_clubsandwich() -> None:
    with _REFERENCE.open(encoding="utf-8", newline="") as file:
        lines = [*csv.DictReader(file)]
    assert len(lines) == 50
    for line in lines:
        found = new(simulated_table(int(line["table"])))
        limits = (*found.interval(-1.0, 1.0), found.p)
        assert limits == pytest.approx([float(line[name]) for name in ("low", "high", "p")])


def test_histories_of_one_size_have_the_test_of_scipy_and_of_statsmodels() -> None:
    for number in range(20):
        random = np.random.default_rng(number)
        scores = random.integers(-1, 2, (int(random.integers(5, 20)), 7)).astype(float)
        differences = grouped(scores.tolist())
        found = new(differences)
        assert found.p == pytest.approx(ttest_1samp(scores.mean(axis=1), 0).pvalue)
        fit = sm.OLS(differences.values, np.ones(differences.n)).fit(
            cov_type="cluster", cov_kwds={"groups": differences.histories}, use_t=True
        )
        assert found.interval(-9, 9) == pytest.approx(tuple(fit.conf_int()[0]))


@given(_DIFFERENCES)
def test_p_and_interval_agree_and_turn_round_with_the_agents(histories: list[list[float]]) -> None:
    found = compare_paired(grouped(histories))
    turned = compare_paired(grouped([[-value for value in history] for history in histories]))
    for one, other in ((found.these, turned.these), (found.new, turned.new)):
        if one is None:
            assert other is None
            continue
        assert other
        low, high = one.interval(-1.0, 1.0)
        assert other.interval(-1.0, 1.0) == pytest.approx((-high, -low))
        assert other.p == pytest.approx(one.p)
        assert (one.p < 0.05) == (low > 0 or high < 0)
        assert low < high


@pytest.mark.parametrize("value", [-1.0, 0.0, 1.0])
def test_where_all_came_out_alike_another_question_might_not(value: float) -> None:
    alike = [[value] * 20] * 6
    for found in (new(grouped(alike)), compare_paired(grouped(alike)).these):
        assert found
        low, high = found.interval(-1.0, 1.0)
        assert 0.01 < high - low < 0.1
        assert low <= value <= high
    assert (new(grouped(alike)).p < 0.05) == bool(value)


def test_new_histories_are_spoken_of_from_five_of_one_size() -> None:
    assert not speaks([grouped([[0.0, 1.0]] * 4)])
    assert speaks([grouped([[0.0, 1.0]] * 5)])
    # Half of the questions are about one history: however many others, it is like at most four.
    assert not speaks([grouped([[0.0] * 200, *[[0.0]] * 200])])
    # A mean speaks of them only where each of its sources does.
    assert not speaks([grouped([[0.0, 1.0]] * 20), grouped([[0.0, 1.0]])])


def test_histories_that_share_their_text_are_one_cluster_also_across_sources() -> None:
    random = np.random.default_rng(1)
    scores = random.normal(0, 0.3, (6, 4)).clip(-1, 1)
    books = tuple(f"book {number}" for number in range(6))
    apart = [(0.5, grouped(scores.tolist())), (0.5, grouped(scores.tolist()))]
    together = [(0.5, grouped(scores.tolist(), texts=books)) for _ in range(2)]
    alone = new(grouped(scores.tolist()))
    # The same books twice say no more than once; other books would.
    assert estimate_new(together).value == pytest.approx(alone.value)
    assert estimate_new(together).spread.variance == pytest.approx(alone.spread.variance)
    assert estimate_new(together).spread.freedom == pytest.approx(5)
    assert estimate_new(apart).spread.variance == pytest.approx(alone.spread.variance / 2)
    assert estimate_new(apart).spread.freedom == pytest.approx(10)
    # Within a source, too: ten histories of five books are five clusters.
    assert not speaks([grouped([[0.0, 1.0]] * 8, texts=(*"aabbccdd",))])
    # A source that shares with two others brings all three together.
    chain = [((*"abcdef",), 0.2), ((*"uvwxyz",), 0.3), ((*"fghiju",), 0.5)]
    parts = [(weight, grouped(scores.tolist(), texts=texts)) for texts, weight in chain]
    assert estimate_new(parts).value == pytest.approx(scores.mean())
    assert estimate_new(parts).spread.freedom < 12


def test_sources_without_shared_texts_add_their_variances() -> None:
    groups = [simulated_table(number) for number in (3, 8)]
    estimates = [new(group) for group in groups]
    found = estimate_new([(0.3, groups[0]), (0.7, groups[1])])
    shares = [0.09 * estimates[0].spread.variance, 0.49 * estimates[1].spread.variance]
    freedom = sum(shares) ** 2 / sum(
        share**2 / one.spread.freedom for share, one in zip(shares, estimates, strict=True)
    )
    assert found.spread == pytest.approx((sum(shares), freedom))


def test_equality_takes_two_one_sided_tests() -> None:
    estimate = Estimate(0.01, Spread(0.0001, 9))
    for within in (0.02, 0.03, 0.05):
        inside = [estimate.value - 1.833113 * 0.01 > -within, estimate.value + 0.01833113 < within]
        assert (estimate.equal_p(within) < 0.05) == all(inside)
    assert Estimate(-0.01, Spread(0.0001, 9)).equal_p(0.02) == estimate.equal_p(0.02)


@pytest.mark.parametrize("agents", [2, 3, 8])
@pytest.mark.parametrize("histories", [6, 12])
def test_what_is_detectable_is_shown_in_75_to_88_percent(histories: int, agents: int) -> None:
    """One agent is better than the others, which are equal; p is adjusted for all pairs."""
    random, draws = np.random.default_rng(4), 3_000
    couples = [*combinations(range(agents), 2)]
    printed, scores = random.normal(size=(2, draws, agents, histories))
    errors = (printed[:, 0] - printed[:, 1]).std(axis=1, ddof=1) / histories**0.5
    told = Spread(1.0, histories - 1).detectable(len(couples)) * errors
    for better in (told, np.full(draws, told.mean())):
        moved = scores.copy()
        moved[:, 0] += better[:, None]
        p = np.stack([ttest_rel(moved[:, a], moved[:, b], axis=1).pvalue for a, b in couples])
        order = np.argsort(p, axis=0)
        steps = np.arange(len(couples), 0, -1)[:, None] * np.take_along_axis(p, order, axis=0)
        adjusted = np.empty_like(p)
        np.put_along_axis(adjusted, order, np.maximum.accumulate(steps), axis=0)
        # Two standard errors beside the limits.
        assert 0.75 - 0.016 <= (adjusted[0] < 0.05).mean() <= 0.88 + 0.012


@pytest.mark.parametrize("sizes", [[20] * 5, [5] * 8, [40, 30, 20, 10, 10, 10, 5, 5]])
def test_no_difference_is_shown_in_at_most_six_percent(sizes: list[int]) -> None:
    random, shown = np.random.default_rng(7), 0
    draws = 1_500
    for _ in range(draws):
        shares = random.beta(2, 2, (2, len(sizes)))
        won, lost = (random.binomial(sizes, share) for share in shares)
        histories = [
            [1.0] * int(max(a - b, 0)) + [-1.0] * int(max(b - a, 0)) + [0.0] * int(n - abs(a - b))
            for a, b, n in zip(won, lost, sizes, strict=True)
        ]
        shown += new(grouped(histories)).p < 0.05
    # Two standard errors above 6 %.
    assert shown / draws <= 0.06 + 2 * (0.06 * 0.94 / draws) ** 0.5
