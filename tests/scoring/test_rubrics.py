"""Verdicts on lines of a rubric, and the order in which things are told."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import kendalltau

from mabench.scoring.judge_replies import line_verdict, order_score, order_verdict


@pytest.mark.parametrize(
    ("reply", "halves"),
    [
        ('{"score": 1}', 2),
        ('It says half. {"score": 0.5}', 1),
        ('{"score": "0.0"}', 0),
        ("0.5", 1),
        ('{"score": 0.7}', None),
        ("1 of 2", None),
        ("yes", None),
        (f'{{"score": {"[" * 100_000}}}', None),
    ],
)
def test_a_line_gets_none_half_or_all(reply: str, halves: int | None) -> None:
    assert line_verdict(reply) == halves


@pytest.mark.parametrize(
    ("reply", "order"),
    [
        ('So: {"order": [2, 0, 1]}', [2, 0, 1]),
        ('{"order": [2, 2, 1]}', [2, 0, 1]),
        ('{"order": []}', []),
        ('{"order": [4]}', None),
        ('{"order": [true]}', None),
        ("2, 1", None),
    ],
)
def test_an_order_names_lines_once(reply: str, order: list[int] | None) -> None:
    assert order_verdict(reply, 3) == order


@given(st.permutations([1, 2, 3, 4, 5]))
def test_a_whole_order_has_the_usual_tau(places: list[int]) -> None:
    tau = kendalltau([1, 2, 3, 4, 5], places).statistic
    assert order_score(places, 5) == pytest.approx((tau + 1) / 2)


def test_what_is_not_aligned_is_tied_last() -> None:
    # Rubric 1 2 3, tied last an item of the answer; the answer tells 2, the other, then 1.
    tau = kendalltau([1, 2, 3, 4], [3, 1, 4, 2], variant="b").statistic
    assert order_score([3, 1, 0], 3) == pytest.approx((tau + 1) / 2)
    lost = kendalltau([1, 2, 3], [1, 2, 2], variant="b").statistic
    assert order_score([1, 0, 0], 1) == pytest.approx((lost + 1) / 2)


def test_an_order_of_nothing_is_tied_with_what_is_told() -> None:
    for items in 0, 1:  # An empty answer is one item.
        tau = kendalltau([1, 2, 3], [2, 2, 1], variant="b").statistic
        assert order_score([0, 0], items) == pytest.approx((tau + 1) / 2)
    assert order_score([0], 0) == 0
    assert order_score([1], 1) == 1
