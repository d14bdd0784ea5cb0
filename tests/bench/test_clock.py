"""The clock of a test allows calls as long as those that it observed, and ends all budgets."""

import math

import pytest

from mabench.bench.clock import Clock


def test_a_call_may_take_twenty_times_as_long_as_the_longest_that_was_observed() -> None:
    clock = Clock(make_seconds=100, least_call_seconds=3)
    assert clock.call_seconds() == clock.call_seconds(clients=17) == 3
    for seconds in (0.5, 0.2):
        clock.observe_call(seconds)
    assert clock.call_seconds() == 10
    assert clock.call_seconds(clients=17) == 20  # Each may wait for all others.
    clock.least_call_seconds = 15
    assert clock.call_seconds() == 15


@pytest.mark.parametrize("seconds", [600, math.inf])
def test_a_budget_is_over_when_its_time_has_passed_or_its_clock_is_stopped(seconds: float) -> None:
    clock = Clock(make_seconds=100, least_call_seconds=3)
    short, long = clock.budget(-1), clock.budget(seconds)
    assert short.is_over()
    assert short.seconds_left() == 0
    assert not long.is_over()
    assert long.seconds_left() > 500
    clock.stop()
    assert long.is_over()
    assert long.seconds_left() == 0
