"""The corrected rules: what a careful reader accepts, and nothing that holds no candidate."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from mabench.metrics import (
    Catalogue,
    Corrected,
    correct_answer,
    correct_choice,
    correct_label,
    correct_recommendation,
    label_of,
)

_ANY = st.text(st.characters(codec=None, categories=None), max_size=60)


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
    assert label_of(prediction) == found
    right = Corrected(float(found == "43"), rule)
    assert correct_label(prediction, ["7", "43"]) == right


def test_label_of_an_echoed_question_is_none() -> None:
    assert correct_label("Name 43 martyrs .", ["43"], "Name 43 martyrs .").rule == "question-echo"


def test_labels_need_not_be_numbers() -> None:
    assert correct_label("Label: Card_Arrival.", ["card_arrival"]).value == 1
    assert correct_label("label:", ["", "."]).value == 0


_DETECTIVE = """An example:
 A. One
 B. Two
Now Answer the Question: who?
 A. Miss White
 B. Hila Weber
 C. The Brandt couple
 D. The Brandt couple's niece
 Output:"""


@pytest.mark.parametrize(
    ("prediction", "value", "rule"),
    [
        ("C", 1, "option-alone"),
        ("(c)", 1, "option-alone"),
        ("Answer: C", 1, "option-alone"),
        ("c) the brandt couple!", 1, "option-alone"),
        ("\u201cThe Brandt couple.\u201d", 1, "option-alone"),
        ("B", 0, "option-alone"),
        ("It was not easy.\n**Answer:** C. The Brandt couple", 1, "option-marked"),
        ("A. Miss White was ill.\nAnswer: C", 1, "option-marked"),
        ("The answer is C because they lied", 1, "option-in-text"),
        ("I am sure it was the Brandt couple, on foot", 1, "option-in-text"),
        ("It was the Brandt couple's niece", 0, "option-in-text"),
        ('{"answer": "C", "reasoning": "not Miss White"}', 1, "option-in-json"),
        ("Miss White or the Brandt couple", 0, "several-options"),
        ("A or C", 0, "several-options"),
        ("Answer: A, B or C", 0, "several-options"),
        ("A. The Brandt couple", 0, "several-options"),
        (_DETECTIVE, 0, "several-options"),
        ("The married Brandts", 0, "no-option"),
        ("Arthur C. Doyle", 0, "no-option"),
        ("", 0, "no-option"),
    ],
)
@pytest.mark.parametrize("gold", ["C. The Brandt couple", "C.The Brandt couple", "C"])
def test_choice_by_letter(prediction: str, value: float, rule: str, gold: str) -> None:
    assert correct_choice(prediction, [gold], _DETECTIVE) == Corrected(value, rule)


_EVENTS = "Below is a list:\n\n['He left the house.', \"She didn't speak.\", 'He left.']\n\nChoose."


@pytest.mark.parametrize(
    ("prediction", "value"),
    [
        ("she didn\u2019t speak", 1),
        ("'SHE DIDN'T SPEAK.'", 1),
        ('{"event": "She didn\'t speak."}', 1),
        ("Next, she didn't speak. That follows.", 1),
        ("She was silent.", 0),
        ("2", 0),
        ("He left.\nShe didn't speak.", 0),
    ],
)
def test_choice_by_text(prediction: str, value: float) -> None:
    assert correct_choice(prediction, ["She didn't speak."], _EVENTS).value == value


def test_a_longer_option_does_not_name_the_one_inside_it() -> None:
    said = "I think he left the house."
    assert correct_choice(said, ["He left."], _EVENTS).value == 0
    assert correct_choice(said, ["He left the house."], _EVENTS).value == 1


@pytest.mark.parametrize("question", ["Who?", None, _EVENTS])
def test_without_the_gold_among_options_the_whole_must_be_equal(question: str | None) -> None:
    right = correct_choice("answer: C. the Someone", ["C. Someone"], question)
    assert right == Corrected(1, "no-options")
    assert correct_choice("Someone or other", ["Someone"], question).value == 0
    assert correct_choice("", ["..."], question).value == 0


@pytest.mark.parametrize(
    ("prediction", "gold", "rule"),
    [
        ("in Rome.", "Rome", "token-boundary"),
        ("\uff32\uff4f\uff4d\uff45\u200b", "Rome", "token-boundary"),
        ("Roch Kabor\u00e9", "roch kabore", "token-boundary"),
        ("Kabore\u0301", "Kabor\u00e9", "token-boundary"),
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
        ("Ford F-150", "150", "inside-word"),
        ("3.5", "3", "inside-word"),
        ("1,000", "1", "inside-word"),
        ("12:30", "30", "inside-word"),
        ("vitamin C", "Vitamin A", "inside-word"),
        ("anything", "The", "empty-gold"),
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


_FILMS = {
    "<x/Water_(1985_film)>": 0,
    "<x/Water_(2005_film)>": 1,
    "<x/Water>": 2,
    "<x/Toy_Story>": 3,
    "<x/Toy_Story_3>": 4,
    "<x/Monsters,_Inc.>": 5,
    "<x/Am\u00e9lie_(2001_film)>": 6,
    "<x/The_Time_Traveler's_Wife_(film)>": 7,
    "<x/Up_(1984_film)>": 8,
    "<x/Up_(2009_film)>": 9,
}


@pytest.fixture(scope="module")
def films() -> Catalogue:
    return Catalogue(_FILMS)


@pytest.mark.parametrize(
    ("prediction", "gold", "value", "rule"),
    [
        ("1. Water (1985)", "0", 1, "title-by-year"),
        ("1. Water (1985)", "1", 0, "title-by-year"),
        ("1. Water (1999)", "2", 1, "title-by-year"),
        ("1. Up (1999)", "9", 0, "title-by-year"),
        ("1. Up", "9", 1, "title-within-distance"),
        ("| Film | Year |\n|---|---|\n| **Up** | 2009 |", "9", 1, "title-by-year"),
        ("Sure, here you go:\n\n- *Amelie* (2001)", "6", 1, "title-within-distance"),
        ("I have some.\n1) Time Travelers Wife", "7", 1, "title-within-distance"),
        (
            "**\u201cThe Time Traveler\u2019s Wife\u201d** \u2013 moving",
            "7",
            1,
            "title-within-distance",
        ),
        ("Monsters, Inc.", "5", 1, "title-within-distance"),
        ("Toy Storey, and Up", "3", 1, "title-within-distance"),
        ("1. Toy Story 4", "4", 0, "no-title"),
        ("1. Toys", "3", 0, "no-title"),
        ("", "3", 0, "no-title"),
    ],
)
def test_first_recommendation(
    films: Catalogue, prediction: str, gold: str, value: float, rule: str
) -> None:
    scores = correct_recommendation(prediction, [gold], films, ks=(1,))
    assert scores == {"recsys_recall@1": Corrected(value, rule)}


def test_blanks_and_repetitions_take_no_place_but_unknown_titles_do(films: Catalogue) -> None:
    blanks = "My list:\n1. Toy Story\n\n2. Toy Storey\n\n3. Toy Story 3"
    unknown = "1. Nobody Knows This\n1. Nobody knows this!\n2. Toy Story 3"
    for prediction in (blanks, unknown):
        scores = films.corrected(prediction, ["4"])
        assert [score.value for score in scores.values()] == [0, 1, 1]
        assert correct_recommendation(prediction, ["4"], films, ks=(2,))["recsys_recall@2"].value


def test_unknown_golds_stay_in_the_denominator(films: Catalogue) -> None:
    scores = correct_recommendation("1. Toy Story", ["3", "nobody", "99"], films, ks=(1,))
    assert scores["recsys_recall@1"].value == pytest.approx(1 / 3)


# Words that are spelt with no letter or digit of the golds below, however they are folded.
_FOREIGN = st.text("bcdfgjkpquvxyz ,.:'\"{}()*\n\u2019\u00fd", max_size=40)


@settings(max_examples=200, deadline=None)
@given(prediction=_FOREIGN)
def test_nothing_is_accepted_that_holds_no_candidate(films: Catalogue, prediction: str) -> None:
    assume("question" not in prediction)
    scores = [
        correct_answer(prediction, ["Rome", "The", "1,000", ""]),
        correct_label(prediction, ["43", "", "."]),
        correct_choice(prediction, ["She didn't speak."], _EVENTS),
        correct_choice(prediction, ["A. Miss White"], _DETECTIVE),
        *films.corrected(prediction, ["3", "7"]).values(),
    ]
    assert [score.value for score in scores] == [0] * len(scores)


@settings(max_examples=200, deadline=None)
@given(before=st.from_regex(r"[a-z0-9]?", fullmatch=True), after=st.sampled_from("abz019"))
def test_no_part_of_a_longer_word_or_number_is_accepted(before: str, after: str) -> None:
    # A possessive apart, what touches a word is part of it.
    assert correct_answer(f"{before}43{after}", ["43"]).value == 0
    assert correct_label(f"label: {before}43{after}", ["43"]).value == 0


@settings(max_examples=200, deadline=None)
@given(prediction=_ANY, answers=st.lists(_ANY, max_size=3), question=_ANY | st.none())
def test_no_text_makes_a_rule_raise(
    prediction: str, answers: list[str], question: str | None
) -> None:
    for rule in (correct_answer, correct_label, correct_choice):
        assert rule(prediction, answers, question).value in {0, 1}
    assert correct_choice(prediction, answers, f"['{prediction}', 'b']\n A. x\n B. y").rule


@pytest.mark.parametrize("text", ['{"a": ' * 5000, "[" * 5000, "{" + "9" * 5000 + "}", "(" * 5000])
def test_texts_made_to_break_a_parser_do_not(text: str) -> None:
    assert correct_label(text, ["43"]).value == 0
    assert correct_choice(text, ["C"], _DETECTIVE).value == 0
    assert correct_answer(text, ["43"], text).value == 0


_SCRIPT = """
from mabench.metrics import *
films = Catalogue({"x/Up_(1984_film)": 0, "x/Up_(2009_film)": 1, "x/Cup": 2, "x/Pup": 3})
print(raw_or_parsed("a cat\\nthe cats ran\\nran up", ["cat ran", "up ran\\ncat"]))
print(films.recall("1. Xup\\n2. up", ["1", "3"]), films.corrected("1. Up (2009), Cup", ["1"]))
print(correct_choice("Up, or Cup", ["Up"], "['Up', 'Cup', 'Pup']"), correct_label("1 2", ["1"]))
"""


def test_scores_do_not_depend_on_the_hash_seed() -> None:
    outputs = {
        subprocess.run(
            [sys.executable, "-c", _SCRIPT],
            env=os.environ | {"PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
            text=True,
        ).stdout
        for seed in ("0", "1", "2")
    }
    assert len(outputs) == 1
    assert outputs.pop()
