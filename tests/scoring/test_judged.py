from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mabench.scoring.judge_replies import cohens_kappa, counts, says_yes, summary_score, yes_or_no


@pytest.mark.parametrize(
    ("reply", "verdict"),
    [
        ("yes", True),
        ("No.", False),
        ("**Yes**", True),
        ('{"verdict": "no"}', False),
        ("Yes, although no date is given.", True),
        ("No: it should say yes to the date.", False),
        ("The answer passes, so: yes", True),
        ("<think>no, wait: no</think>\nyes", True),
        ("no, wait: no</think>\nyes", True),
        ("yesterday", None),
        ("I know nothing", None),
        ("It could be yes or no.", None),
        ("", None),
    ],
)
def test_a_verdict_is_a_word(reply: str, verdict: bool | None) -> None:
    assert yes_or_no(reply) is verdict


@pytest.mark.parametrize(
    ("reply", "verdict"),
    [("Yes.", True), ("no, not yesterday", True), ("no", False), ("", False)],
)
def test_the_published_reading_takes_any_letters_yes_for_a_verdict(
    reply: str, verdict: bool
) -> None:
    assert says_yes(reply) is verdict


@pytest.mark.parametrize(
    ("reply", "read"),
    [
        ('{"supported": 5, "sentences": 9}', (5, 9)),
        ('```json\n{"sentences": 9, "supported": 5}\n```', (5, 9)),
        ('I found 3 of them.\n{"supported": 5, "sentences": 9}', (5, 9)),
        ('{"supported": 1, "sentences": 9} - no, {"supported": 2, "sentences": 9}', (2, 9)),
        ("5 of 9", (5, 9)),
        ("Supported: 50 %", (50, 100)),
        ("Supported: 50 %\nSentences: 9", None),
        ('{"supported": "50 %", "sentences": 9}', None),
        ('{"supported": -2, "sentences": 9}', (0, 9)),
        ('{"supported": "5", "sentences": 9}', (5, 9)),
        ('{"supported": 5.0, "sentences": 9}', (5, 9)),
        ('{"precision": 5, "sentence_count": 9}', (5, 9)),
        (
            'Of 12, 1. is, 2. not. {5 so far}\n\nOutput: {"precision": 5, "sentence_count": 9}',
            (5, 9),
        ),
        (
            '{"precision": 8, "sentence_count": 9}? No.</think>'
            '{"precision": 5, "sentence_count": 9}',
            (5, 9),
        ),
        ('{"supported": 5.5, "sentences": 9}', None),
        ('{"supported": Infinity, "sentences": 9}', None),
        ('{"supported": null, "sentences": 9}', None),
        ("5 of 9 or 10", None),
        ("none", None),
        ('{"supported": 5', None),
    ],
)
def test_counts_come_as_json_or_as_the_only_numbers(
    reply: str, read: tuple[int, int] | None
) -> None:
    assert counts(reply, ("supported", "precision"), ("sentences", "sentence_count")) == read


def test_a_percentage_is_no_count() -> None:
    assert counts("Found: 50 %", ("found",)) is None
    assert counts("Found: 50 of 100", ("found",)) == (50,)


def test_a_summary_scores_fluency_times_f1() -> None:
    # Recall 1/2, precision 1/4: F1 is 2 * 1/8 / (3/4) = 1/3.
    assert summary_score(1, 4, 8, 2, 8) == pytest.approx(1 / 3)
    assert summary_score(0, 4, 8, 2, 8) == 0
    assert summary_score(1, 8, 8, 8, 8) == 1
    assert summary_score(1, 0, 8, 0, 8) == 0
    assert summary_score(1, 0, 0, 0, 0) == 0


numbers = st.integers(-3, 50)


@given(numbers, numbers, numbers, numbers, numbers)
def test_a_summary_score_is_always_possible(a: int, b: int, c: int, d: int, e: int) -> None:
    assert 0 <= summary_score(a, b, c, d, e) <= 1


@given(st.text())
def test_no_reply_makes_the_readers_raise(reply: str) -> None:
    assert yes_or_no(reply) in (True, False, None)
    assert counts(reply, ("found",)) is None or counts(reply, ("found",))


def test_kappa_is_agreement_beyond_chance() -> None:
    # Cohen's own kind of table: 20 both yes, 15 both no, 5 and 10 apart; kappa 0.4.
    one = [1] * 20 + [1] * 5 + [0] * 10 + [0] * 15
    other = [1] * 20 + [0] * 5 + [1] * 10 + [0] * 15
    assert cohens_kappa(one, other) == pytest.approx(0.4)
    assert cohens_kappa([1, 0, 1], [1, 0, 1]) == 1
    assert cohens_kappa([1, 0], [0, 1]) == -1
    assert cohens_kappa([1, 1], [1, 1]) is None
    assert cohens_kappa([], []) is None
