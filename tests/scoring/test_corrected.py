"""What holds for every corrected rule: it is safe, never raises, and is deterministic."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mabench.scoring import (
    Catalogue,
    correct_answer,
    correct_choice,
    correct_label,
    correct_recommendation,
)
from tests.hash_seeds import outputs
from tests.scoring.questions import DETECTIVE, EVENTS

_ANY = st.text(st.characters(), max_size=60)  # Lone surrogates too.


@pytest.fixture(scope="module")
def films() -> Catalogue:
    return Catalogue({"<x/Toy_Story>": 3, "<x/The_Time_Traveler's_Wife_(film)>": 7})


# Words that are spelt with no letter or digit of the golds below, however they are folded.
_FOREIGN = st.text("bcdfgjkpquvxyz ,.:'\"{}()*\n\u2019\u00fd", max_size=40)


@settings(max_examples=200, deadline=None)
@given(prediction=_FOREIGN)
def test_nothing_is_accepted_that_holds_no_candidate(films: Catalogue, prediction: str) -> None:
    scores = [
        correct_answer(prediction, ["Rome", "The", "1,000", ""]),
        correct_label(prediction, ["43", "", "."]),
        correct_choice(prediction, ["She didn't speak."], EVENTS),
        correct_choice(prediction, ["A. Miss White"], DETECTIVE),
        *correct_recommendation(prediction, ["3", "7"], films).values(),
    ]
    assert 1 not in [score.value for score in scores]


@settings(max_examples=200, deadline=None)
@given(before=st.from_regex(r"[a-z0-9]?", fullmatch=True), after=st.sampled_from("abz019"))
def test_no_part_of_a_longer_word_or_number_is_accepted(before: str, after: str) -> None:
    # A possessive apart, what touches a word is part of it.
    assert correct_answer(f"{before}43{after}", ["43"]).value != 1
    assert correct_label(f"label: {before}43{after}", ["43"]).value != 1


@settings(max_examples=200, deadline=None)
@given(prediction=_ANY, answers=st.lists(_ANY, max_size=3), question=_ANY | st.none())
def test_no_text_makes_a_rule_raise(
    prediction: str, answers: list[str], question: str | None
) -> None:
    for rule in (correct_answer, correct_label, correct_choice):
        assert rule(prediction, answers, question).value in {0, 1, None}  # None: unclear.
    assert correct_choice(prediction, answers, f"['{prediction}', 'b']\n A. x\n B. y").rule


@pytest.mark.parametrize(
    "text",
    [
        *('{"a": ' * 5000, '{"a": ' * 5000 + "1" + "}" * 5000, "{" + "9" * 5000 + "}"),
        *("[" * 5000, "(" * 5000, "\n" * 50_000, "| " * 9000),
    ],
    ids=range(7),
)
def test_texts_made_to_break_a_parser_do_not(text: str) -> None:
    assert correct_label(text, ["43"]).value != 1
    assert correct_choice(text, ["C"], DETECTIVE).value != 1
    assert correct_answer(text, ["43"], text).value != 1


_SCRIPT = """
from mabench.scoring import *
films = Catalogue({"x/Up_(1984_film)": 0, "x/Up_(2009_film)": 1, "x/Cup": 2, "x/Pup": 3})
print(raw_or_parsed("a cat\\nthe cats ran\\nran up", ["cat ran", "up ran\\ncat"]))
print(recommendation_recall("1. Xup\\n2. up", ["1", "3"], films))
print(correct_recommendation("1. Up (2009), Cup", ["1"], films))
print(correct_choice("Up, or Cup", ["Up"], "['Up', 'Cup', 'Pup']"), correct_label("1 2", ["1"]))
"""


def test_scores_do_not_depend_on_the_hash_seed(tmp_path: Path) -> None:
    (printed,) = outputs(_SCRIPT, tmp_path)
    assert printed
