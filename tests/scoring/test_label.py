"""The rule for labels."""

from __future__ import annotations

import pytest

from mabench.scoring import Corrected, correct_label


@pytest.mark.parametrize(
    ("prediction", "found", "rule"),
    [
        ("43.", "43", "label-alone"),
        ("**43**", "43", "label-alone"),
        ("\u201843\u2019", "43", "label-alone"),
        ("\uff14\uff13", "43", "label-alone"),
        ("43\nThe user has 2 cards", "43", "label-alone"),
        ("card_arrival", "card_arrival", "label-alone"),
        ("label: 43", "43", "label-marked"),
        ("label:43 (see 12)", "43", "label-marked"),
        ("Final Answer: **43**", "43", "label-marked"),
        ("The label is 43.", "43", "label-marked"),
        ("Label: Card_Arrival.", "card_arrival", "label-marked"),
        ('{"label": 43, "confidence": 0.9}', "43", "label-in-json"),
        ('```json\n{"answer": "43"}\n```', "43", "label-in-json"),
        ('{"intent_id": 43}', "43", "label-in-json"),
        ("I would go for 43, I think", "43", "label-in-sentence"),
        ("143", "143", "label-alone"),
        ("43 or 44", None, "several-labels"),
        ("label: 43\nlabel: 44", None, "several-labels"),
        ("1. 43\n2. 44", None, "several-labels"),
        ("x43y and 4.3 and 1,043 and 43% and -43", None, "no-label"),
        ("no idea at all", None, "no-label"),
        ("", None, "no-label"),
    ],
)
def test_label(prediction: str, found: str | None, rule: str) -> None:
    right = Corrected(float(found is not None), rule)
    assert correct_label(prediction, ["7", found or "43"]) == right
    assert correct_label(prediction, ["7"]) == Corrected(0.0, rule)


def test_label_of_an_echoed_question_is_none() -> None:
    assert correct_label("Name 43 martyrs .", ["43"], "Name 43 martyrs .").rule == "question-echo"


def test_labels_need_not_be_numbers() -> None:
    assert correct_label("Label: Card_Arrival.", ["card_arrival"]).value == 1
    assert correct_label("label:", ["", "."]).value == 0
