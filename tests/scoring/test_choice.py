"""The rule for questions that offer options."""

from __future__ import annotations

import pytest

from mabench.scoring import correct_choice
from tests.scoring.questions import DETECTIVE, EVENTS


@pytest.mark.parametrize(
    ("prediction", "value"),
    [
        ("C", 1),
        ("(c)", 1),
        ("Answer: C", 1),
        ("c) the brandt couple!", 1),
        ("\u201cThe Brandt couple.\u201d", 1),
        ("B", 0),
        ("It was not easy.\n**Answer:** C. The Brandt couple", 1),
        ("A. Miss White was ill.\nAnswer: C", 1),
        ("The answer is C because they lied", 1),
        ("I am sure it was the Brandt couple, on foot", 1),
        ("It was the Brandt couple's niece", 0),
        ('{"answer": "C", "reasoning": "not Miss White"}', 1),
        ("Miss White or the Brandt couple", 0),
        ("A or C", 0),
        ("It could be A (Miss White) or C (the Brandt couple).", 0),
        ("A or C, most likely C", 1),
        ("My choice: A\nCorrection: C", 1),
        ("Answer: A, B or C", 0),
        ("A. The Brandt couple", 0),
        (DETECTIVE, 0),
        ("Arthur C. Doyle", 0),
        ("", 0),
    ],
)
@pytest.mark.parametrize("gold", ["C. The Brandt couple", "C.The Brandt couple", "C"])
def test_choice_by_letter(prediction: str, value: float | None, gold: str) -> None:
    assert correct_choice(prediction, [gold], DETECTIVE).value == value


@pytest.mark.parametrize(
    ("prediction", "value"),
    [
        ("she didn\u2019t speak", 1),
        ("'SHE DIDN'T SPEAK.'", 1),
        ('{"event": "She didn\'t speak."}', 1),
        ("Next, she didn't speak. That follows.", 1),
        ("She was silent.", 0),
        ("2", 1),
        ("3", 0),
        ("He left.\nShe didn't speak.", 0),
        ("She didn't speak. He left.", 0),
        ("the second of the two events", 1),
    ],
)
def test_choice_by_text(prediction: str, value: float) -> None:
    assert correct_choice(prediction, ["She didn't speak."], EVENTS).value == value


def test_a_longer_option_does_not_name_the_one_inside_it() -> None:
    said = "I think he left the house."
    assert correct_choice(said, ["He left."], EVENTS).value != 1
    assert correct_choice(said, ["He left the house."], EVENTS).value == 1


@pytest.mark.parametrize("question", ["Who?", None, EVENTS])
def test_without_the_gold_among_options_the_rule_for_answers_holds(question: str | None) -> None:
    for said, value in (("The next event: Otto sells it.", 1), ("Ann rows.", 0), ("", 0)):
        assert (correct_choice(said, ["Otto sells it."], question).value == 1) is bool(value)
    assert correct_choice("", ["..."], question).value != 1


_LISTED = "What comes next?\n['Ann finds the lamp.', 'Otto sells the boat to Lene.', 'Ann rows.']"


@pytest.mark.parametrize(
    ("prediction", "value"),
    [
        ("2", 1),
        ("Answer: (2)", 1),
        ("the second event", 1),
        ("Otto lends the boat to Lene.", None),
        ("Lene sells the boat to Otto.", None),
        ("Ann found the lamp.", 0),
    ],
)
def test_options_may_be_called_by_number(prediction: str, value: float | None) -> None:
    assert correct_choice(prediction, ["Otto sells the boat to Lene."], _LISTED).value == value


def test_what_is_left_when_the_others_are_ruled_out_is_chosen() -> None:
    said = "It can't be A (ill), B (away) or D (asleep), which leaves C."
    assert correct_choice(said, ["C. The Brandt couple"], DETECTIVE).value == 1


_INKS = """Question: What was the letter written in?
A. Violet ink
B. Green ink
C. Pencil"""


@pytest.mark.parametrize(
    ("said", "verdict"),
    [
        ("B. Green ink", "right"),
        ("B. The ink was green.", "right"),
        ("B) because the clerk saw it dry", "right"),
        ("B. It is said in the third letter.", "right"),
        # The letter is the gold's, and the text that of no option: which is meant is open.
        ("B. The miller's son", "unclear"),
        ("B: Copper wire", "unclear"),
        ("C. The miller's son", "wrong"),
    ],
)
def test_a_letter_with_the_text_of_no_option_is_not_the_gold(said: str, verdict: str) -> None:
    assert correct_choice(said, ["B. Green ink"], _INKS).verdict == verdict


@pytest.mark.parametrize(
    ("said", "value"),
    [("The second one.", 1), ("I pick the 2nd one", 1), ("It is like the second one", None)],
)
def test_an_ordinal_is_an_option_where_it_is_chosen(said: str, value: float | None) -> None:
    question = "Below is a list:\n\n['He rode away.', 'She sang a song.']\n\nChoose."
    chosen = correct_choice(said, ["She sang a song."], question).value
    assert chosen == value if value else chosen != 1
