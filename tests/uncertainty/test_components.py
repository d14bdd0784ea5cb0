"""What differences vary by: known variances are found again."""

import numpy as np
import pytest

from mabench.uncertainty import (
    Components,
    Floats,
    Grouped,
)


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
