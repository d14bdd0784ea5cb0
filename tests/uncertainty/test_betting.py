"""Intervals that hold after every history: properties, fair bets, simulated races."""

from itertools import pairwise

import numpy as np
import pytest
from benchmarks.race import race
from hypothesis import given, settings
from hypothesis import strategies as st

from mabench.uncertainty import (
    Floats,
    confidence_sequence,
)
from mabench.uncertainty.betting import log_wealth

_HISTORIES = st.lists(st.integers(-20, 20).map(lambda n: n / 20), min_size=1, max_size=25).map(
    np.array
)


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


def test_by_signs_seven_large_differences_decide_and_by_the_mean_ten() -> None:
    ends = [one.low >= 0 for one in confidence_sequence(np.full(8, 0.6), symmetric=True)]
    assert ends == [False] * 6 + [True] * 2
    by_mean = [one.low >= 0 for one in confidence_sequence(np.full(20, 0.6))]
    assert by_mean.index(True) == 9


@pytest.mark.parametrize("kind", ["low", "high"])
def test_races_between_equals_are_decided_wrongly_in_few_cases(kind: str) -> None:
    found = race(kind, 0.0, 600, 60)
    assert found.wrong <= 0.05
    assert found.held >= 0.95


def test_races_find_what_is_there_and_sooner_where_symmetry_is_assumed() -> None:
    by_mean, by_signs = (race("medium", 0.15, 200, 60, symmetric=each) for each in (False, True))
    for found in (by_mean, by_signs):
        assert found.right >= 0.99
        assert found.wrong <= 0.01
    assert 30 < by_mean.histories < 38
    assert by_signs.fixed
    assert by_signs.histories < 2 * by_signs.fixed
    assert by_mean.looks > 0, "the difference at the stop is larger than the true one"


@pytest.mark.parametrize("kind", ["unlike 2", "fails 1 in 20", "fails 1 in 5"])
def test_races_of_unlike_agents_with_one_mean_are_rarely_wrong(kind: str) -> None:
    assert race(kind, 0.0, 400, 100).wrong <= 0.05
    assert race(kind, 0.0, 400, 100, symmetric=True).wrong > 0.05
