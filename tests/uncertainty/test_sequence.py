"""Confidence sequences: what they hold, and how they answer to evidence."""

from itertools import pairwise

import numpy as np
import pytest
from benchmarks.race import race
from hypothesis import given, settings
from hypothesis import strategies as st

from mabench.uncertainty import Floats
from mabench.uncertainty.paired import confidence_sequence, log_capital, log_flip_capital

_HISTORIES = st.lists(st.integers(-20, 20).map(lambda n: n / 20), min_size=1, max_size=25).map(
    np.array
)


@settings(deadline=None, max_examples=40)
@given(_HISTORIES)
def test_intervals_lie_within_each_other_and_turn_round_with_the_agents(x: Floats) -> None:
    found, turned = confidence_sequence(x), confidence_sequence(-x)
    for before, after in pairwise(found):
        assert before.low <= after.low <= after.high <= before.high
    for one, other in zip(found, turned, strict=True):
        assert one == pytest.approx((-other.high, -other.low), abs=1e-6)


@settings(deadline=None, max_examples=40)
@given(_HISTORIES, st.data())
def test_more_evidence_raises_both_limits(x: Floats, data: st.DataObject) -> None:
    more = x.copy()
    place = data.draw(st.integers(0, len(x) - 1))
    more[place] = data.draw(st.floats(x[place], 1))
    for one, other in zip(confidence_sequence(x), confidence_sequence(more), strict=True):
        assert other.low >= one.low - 1e-6
        assert other.high >= one.high - 1e-6


@settings(deadline=None, max_examples=40)
@given(_HISTORIES, st.integers(0, 25), st.integers(1, 5))
def test_ties_neither_help_nor_harm_whoever_is_better(x: Floats, place: int, ties: int) -> None:
    tied = np.insert(x, min(place, len(x)), [0.0] * ties)
    for sign in (1, -1):
        assert log_capital(sign * tied, 0.0)[-1] == pytest.approx(log_capital(sign * x, 0.0)[-1])
        assert log_flip_capital(sign * tied)[-1] == pytest.approx(log_flip_capital(sign * x)[-1])
    ends = [[each[-1].low >= 0, each[-1].high <= 0] for each in map(confidence_sequence, (x, tied))]
    assert ends[0] == ends[1]


@settings(deadline=None, max_examples=40)
@given(_HISTORIES, st.randoms())
def test_the_order_of_histories_does_not_matter_for_a_capital(x: Floats, random) -> None:  # type: ignore[no-untyped-def]
    other = np.array(random.sample(x.tolist(), len(x)))
    assert log_capital(other, 0.1)[-1] == pytest.approx(log_capital(x, 0.1)[-1])


def test_a_bet_is_fair_where_the_mean_is_true() -> None:
    # Of all sequences of five draws that are 1 in 1 of 4 cases, else -0.2: the mean is 0.1.
    draws = np.array(np.meshgrid(*[[1.0, -0.2]] * 5)).reshape(5, -1).T
    chances = np.where(draws > 0, 0.25, 0.75).prod(axis=1)
    assert chances @ np.exp(log_capital(draws, 0.1)[:, -1]) == pytest.approx(1)
    assert chances @ np.exp(log_capital(draws, 0.2)[:, -1]) < 1
    signs = np.array(np.meshgrid(*[[0.4, -0.4]] * 5)).reshape(5, -1).T
    assert np.exp(log_flip_capital(signs)[:, -1]).mean() == pytest.approx(1)


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
