"""The rule for answers taken from the history."""

from __future__ import annotations

import pytest

from mabench.scoring import Corrected, correct_answer


@pytest.mark.parametrize(
    ("prediction", "gold", "right"),
    [
        ("in Rome.", "Rome", True),
        ("\uff32\uff4f\uff4d\uff45\u200b", "Rome", True),
        ("Roch Kabor\u00e9", "roch kabore", True),
        ("Kabore\u0301", "Kabor\u00e9", True),
        ("Schr\u00f6dinger", "Schrodinger", True),
        ("S\u00f8ren \u0141ukasz", "Soren Lukasz", True),
        ("\u201cO\u2019Brien\u2019s\u201d", "O'Brien", True),
        ("the vice\u2011president", "vice president", True),
        ("President of United States", "President of the United States", True),
        ("basketball player", "a basketball player", True),
        ("about 1,000 men", "1000", True),
        ("1\u202f000", "1,000", True),
        ("1000", "1 000", True),
        ("Two", "2", True),
        ("twenty-one", "21", True),
        ("$720.00", "720", True),
        ("Romeo", "Rome", False),
        ("vice-president", "president", False),
        ("president-elect", "president", False),
        ("Ford F-150", "150", False),
        ("3.5", "3", False),
        ("1,000", "1", False),
        ("12:30", "30", False),
        ("vitamin C", "Vitamin A", False),
        ("anything", "The", False),
        ("an apple", "A an", False),
        ("", "...", False),
        ("Paris", "Rome", False),
        ("", "Rome", False),
    ],
)
def test_answer(prediction: str, gold: str, right: bool) -> None:
    assert correct_answer(prediction, [gold]).value == right


def test_every_candidate_counts_and_an_empty_one_does_not() -> None:
    assert correct_answer("Rome", ["The", "Paris", "Rome"]).value == 1
    assert correct_answer("Oslo", ["The", "Paris"]).value == 0
    assert correct_answer("Oslo", ["The"]) == Corrected(0, "empty-gold")
    assert correct_answer("the", ["The"]).value == 1
    assert correct_answer("Oslo", []).value == 0


_OR = "Is it Paris or Rome?"


@pytest.mark.parametrize(
    ("prediction", "value"),
    [
        (_OR, 0),
        ("Question: is it Paris, or Rome", 0),
        (f"{_OR} {_OR}", 0),
        (f"{_OR} Answer: Paris", 0),
        (f"{_OR} Answer: Rome", 1),
        ("It is Rome", 1),
        ("Rome", 1),
    ],
)
def test_an_echo_of_the_question_is_no_answer(prediction: str, value: float) -> None:
    assert correct_answer(prediction, ["Rome"], _OR).value == value
