"""The rule for labels."""

from __future__ import annotations

import pytest

from mabench.scoring import correct_label


@pytest.mark.parametrize(
    ("prediction", "found"),
    [
        ("43.", "43"),
        ("**43**", "43"),
        ("\u201843\u2019", "43"),
        ("\uff14\uff13", "43"),
        ("43\nThe user has 2 cards", "43"),
        ("card_arrival", "card_arrival"),
        ("label: 43", "43"),
        ("label:43 (see 12)", "43"),
        ("Final Answer: **43**", "43"),
        ("The label is 43.", "43"),
        ("Label: Card_Arrival.", "card_arrival"),
        ('{"label": 43, "confidence": 0.9}', "43"),
        ('```json\n{"answer": "43"}\n```', "43"),
        ('{"intent_id": 43}', "43"),
        ("I would go for 43, I think", "43"),
        ("143", "143"),
        ("43 (confidence 92%). Rejected: 3, 73.", "43"),
        ("43 or 44", None),
        ("label: 43 / 44", None),
        ("It is either 44 or 43; since the card is lost, 43.", "43"),
        ("First I considered 44, but 43 fits better.", "43"),
        ("label: 43\nlabel: 44", None),
        ("1. 43\n2. 44", None),
        ("12\nWait, actually 43", "43"),
        ("x43y and 4.3 and 1,043 and 43% and -43", None),
        ("It takes a 43\u2011year mortgage, and fees.", None),
        ("no idea at all", None),
        ("", None),
    ],
)
def test_label(prediction: str, found: str | None) -> None:
    assert correct_label(prediction, ["7", found or "43"]).value == (found is not None)
    assert correct_label(prediction, ["7"]).value == 0


def test_label_of_an_echoed_question_is_none() -> None:
    assert correct_label("Name 43 martyrs .", ["43"], "Name 43 martyrs .").value == 0


def test_labels_need_not_be_numbers() -> None:
    assert correct_label("Label: Card_Arrival.", ["card_arrival"]).value == 1
    assert correct_label("label:", ["", "."]).value == 0


_PROSE = "Some banks charge a little for each transfer abroad, others nothing at all. " * 8


@pytest.mark.parametrize(
    ("end", "verdict"),
    [
        ("After 10 of them a bank may ask for less.", "wrong"),
        ("So it is label 10.", "right"),
        ("\n\n10", "right"),
        ("\n\n10 fits best.", "right"),
    ],
)
def test_a_number_somewhere_in_a_long_text_is_no_label(end: str, verdict: str) -> None:
    assert correct_label(_PROSE + end, ["10"], "What do you charge?").verdict == verdict
