"""The true share from a judge on all answers and a person on a sample."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from mabench.uncertainty.prediction_powered import JudgedSample


def _sample(
    judged: NDArray[Any], people: NDArray[Any], sampled: NDArray[Any], groups: int = 10
) -> JudgedSample:
    """Return a sample of answers that are spread evenly over histories."""
    return JudgedSample(
        judged=np.asarray(judged, dtype=np.float64),
        histories=np.arange(len(judged)) % groups,
        sampled=np.asarray(sampled),
        people=np.asarray(people, dtype=np.float64),
        chances=np.full(len(sampled), len(sampled) / len(judged)),
    )


def _draw(seed: int, *, errors: float, verdicts: int = 100) -> tuple[JudgedSample, float]:
    """Return a sample of 600 answers, of which a judge mistakes a share, and the true share."""
    rng = np.random.default_rng(seed)
    right = rng.random(600) < 0.6
    judged = np.where(rng.random(600) < errors, ~right, right)
    sampled = rng.choice(600, verdicts, replace=False)
    return _sample(judged, right[sampled], sampled), float(right.mean())


@given(seed=st.integers(0, 10_000))
def test_a_judge_that_says_nothing_leaves_the_mean_of_the_sample(seed: int) -> None:
    rng = np.random.default_rng(seed)
    sampled = rng.choice(200, 40, replace=False)
    people = rng.random(40) < 0.5
    sample = _sample(np.ones(200), people, sampled)
    assert sample.estimate == pytest.approx(people.mean())


def test_a_judge_without_errors_is_as_good_as_all_verdicts() -> None:
    sample, truth = _draw(3, errors=0.0)
    assert sample.efficient_weight == pytest.approx(1.0)
    assert sample.estimate == pytest.approx(truth)


def test_a_judge_that_passes_everything_wrong_is_corrected() -> None:
    """A pooled error rate would not see that all of them are wrong here."""
    judged = np.ones(300)
    sampled = np.arange(0, 300, 4)
    sample = _sample(judged, np.zeros(len(sampled)), sampled)
    assert sample.estimate == pytest.approx(0.0)


def test_verdicts_count_by_their_chance_of_being_drawn() -> None:
    """Most were drawn where the judges differ: the mean of the sample would be far off."""
    judged = np.zeros(100)
    sampled = np.array([*range(20), *range(20, 100, 20)])
    people = np.array([1.0] * 20 + [0.0] * 4)
    chances = np.array([1.0] * 20 + [4 / 80] * 4)
    sample = JudgedSample(judged, np.arange(100) % 10, sampled, people, chances)
    assert sample.estimate == pytest.approx(0.2)


def test_intervals_have_a_width_although_everything_agrees() -> None:
    sampled = np.arange(80)
    sample = _sample(np.ones(200), np.ones(80), sampled)
    for interval in (sample.these_answers(), sample.new_histories()):
        assert interval is not None
        assert interval.high - interval.low > 0.02


def test_new_histories_take_five_of_them_and_sixty_verdicts() -> None:
    few, _ = _draw(1, errors=0.1, verdicts=59)
    assert few.new_histories() is None
    enough, _ = _draw(1, errors=0.1, verdicts=60)
    assert enough.new_histories() is not None
    judged = np.ones(200)
    four = _sample(judged, np.ones(80), np.arange(80), groups=4)
    assert four.new_histories() is None


def test_two_runs_swapped_give_the_mirrored_interval() -> None:
    rng = np.random.default_rng(5)
    judged = rng.integers(-1, 2, 300).astype(float)
    sampled = rng.choice(300, 90, replace=False)
    people = rng.integers(-1, 2, 90).astype(float)
    one, other = _sample(judged, people, sampled), _sample(-judged, -people, sampled)
    assert one.estimate == pytest.approx(-other.estimate)
    for first, second in (
        (one.these_answers(), other.these_answers()),
        (one.new_histories(), other.new_histories()),
    ):
        assert first is not None
        assert second is not None
        assert (first.low, first.high) == pytest.approx((-second.high, -second.low))


@pytest.mark.parametrize("errors", [0.02, 0.2, 0.4])
def test_the_interval_holds_the_true_share_about_as_often_as_it_says(errors: float) -> None:
    held = []
    for seed in range(300):
        sample, truth = _draw(seed, errors=errors)
        low, high = sample.these_answers()
        held.append(low <= truth <= high)
    assert 0.91 <= np.mean(held) <= 0.99
