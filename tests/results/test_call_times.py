"""Percentiles of times, and their intervals by order statistics."""

from collections import Counter

import numpy as np
import pytest

from mabench.results.memory import CallTimes


@pytest.mark.parametrize(("n", "percent"), [(100, 50), (300, 95), (2_000, 99)])
def test_intervals_hold_the_true_percentile_in_95_percent(n: int, percent: int) -> None:
    random, true, held = np.random.default_rng(1), -np.log(1 - percent / 100), 0
    for _ in range(400):
        found = CallTimes.of(Counter(random.exponential(1, n).tolist()), 1.0)
        assert found
        assert found.intervals
        low, high = found.intervals[f"p{percent}"]
        held += low <= true <= high
        assert low <= found[f"p{percent}"] <= high
    assert 0.92 <= held / 400 <= 0.99


def test_too_few_calls_have_none_and_an_edited_count_takes_no_time() -> None:
    few = CallTimes.of({0.1: 4, 0.2: 1}, 0.6)
    assert few
    assert few.intervals is None
    found = CallTimes.of({0.1: 10**17, 0.2: 1}, 0.6)
    assert found
    assert found.p99 == 0.1
