"""The rule for answers taken from the history."""

from __future__ import annotations

import pytest

from mabench.scoring import Corrected, correct_answer


@pytest.mark.parametrize(
    ("prediction", "gold", "rule"),
    [
        ("in Rome.", "Rome", "token-boundary"),
        ("\uff32\uff4f\uff4d\uff45\u200b", "Rome", "token-boundary"),
        ("Roch Kabor\u00e9", "roch kabore", "token-boundary"),
        ("Kabore\u0301", "Kabor\u00e9", "token-boundary"),
        ("Schr\u00f6dinger", "Schrodinger", "token-boundary"),
        ("S\u00f8ren \u0141ukasz", "Soren Lukasz", "token-boundary"),
        ("\u201cO\u2019Brien\u2019s\u201d", "O'Brien", "token-boundary"),
        ("the vice\u2011president", "vice president", "token-boundary"),
        ("President of United States", "President of the United States", "token-boundary"),
        ("basketball player", "a basketball player", "token-boundary"),
        ("about 1,000 men", "1000", "token-boundary"),
        ("1\u202f000", "1,000", "token-boundary"),
        ("1000", "1 000", "token-boundary"),
        ("Two", "2", "token-boundary"),
        ("twenty-one", "21", "token-boundary"),
        ("$720.00", "720", "token-boundary"),
        ("Romeo", "Rome", "inside-word"),
        ("vice-president", "president", "inside-word"),
        ("president-elect", "president", "inside-word"),
        ("Ford F-150", "150", "inside-word"),
        ("3.5", "3", "inside-word"),
        ("1,000", "1", "inside-word"),
        ("12:30", "30", "inside-word"),
        ("vitamin C", "Vitamin A", "inside-word"),
        ("anything", "The", "empty-gold"),
        ("an apple", "A an", "empty-gold"),
        ("", "...", "empty-gold"),
        ("Paris", "Rome", "no-candidate"),
        ("", "Rome", "no-candidate"),
    ],
)
def test_answer(prediction: str, gold: str, rule: str) -> None:
    assert correct_answer(prediction, [gold]) == Corrected(float(rule == "token-boundary"), rule)


def test_every_candidate_counts_and_an_empty_one_does_not() -> None:
    assert correct_answer("Rome", ["The", "Paris", "Rome"]).value == 1
    assert correct_answer("Oslo", ["The", "Paris"]) == Corrected(0, "empty-gold")
    assert correct_answer("Oslo", []).value == 0


_OR = "Is it Paris or Rome?"


@pytest.mark.parametrize(
    ("prediction", "value", "rule"),
    [
        (_OR, 0, "question-echo"),
        ("Question: is it Paris, or Rome", 0, "question-echo"),
        (f"{_OR} {_OR}", 0, "question-echo"),
        (f"{_OR} Answer: Paris", 0, "question-echo"),
        (f"{_OR} Answer: Rome", 1, "token-boundary"),
        ("It is Rome", 1, "token-boundary"),
        ("Rome", 1, "token-boundary"),
    ],
)
def test_an_echo_of_the_question_is_no_answer(prediction: str, value: float, rule: str) -> None:
    assert correct_answer(prediction, ["Rome"], _OR) == Corrected(value, rule)
