"""Which of two conflicting values a text settles on, in whatever words it tells of the conflict."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from mabench.scoring import correct_answer

# The value that holds, an older one, and what is asked.
_FACTS = [
    ("Oslo", "Lyon", "In which city was Ann Hale born?"),
    ("Ann Hale", "Otto Brandt", "Who is the director of the Ambria Press?"),
    ("football", "tennis", "Which sport does Otto Brandt play?"),
    ("1987", "1912", "In which year was the dam built?"),
]
_WORDINGS = tomllib.loads(Path(__file__).with_name("conflicts.toml").read_text("utf-8"))


@pytest.mark.parametrize(("gold", "older", "question"), _FACTS)
@pytest.mark.parametrize("wording", _WORDINGS["settled"])
def test_a_text_settles_on_the_value_that_holds(
    wording: str, gold: str, older: str, question: str
) -> None:
    text = wording.format(G=gold, O=older)
    assert correct_answer(text, [gold], question).verdict in ("right", "unclear")
    assert correct_answer(text, [older], question).verdict in ("wrong", "unclear")


@pytest.mark.parametrize(("gold", "older", "question"), _FACTS)
@pytest.mark.parametrize("wording", _WORDINGS["unsettled"])
def test_two_values_without_a_choice_are_wrong(
    wording: str, gold: str, older: str, question: str
) -> None:
    text = wording.format(G=gold, O=older)
    assert correct_answer(text, [gold], question).verdict in ("wrong", "unclear")
    assert correct_answer(text, [older], question).verdict in ("wrong", "unclear")


def test_nine_of_ten_wordings_are_decided() -> None:
    verdicts = [
        correct_answer(wording.format(G=gold, O=older), [wanted], question).verdict
        for wording in (*_WORDINGS["settled"], *_WORDINGS["unsettled"])
        for gold, older, question in _FACTS
        for wanted in (gold, older)
    ]
    assert verdicts.count("unclear") < 0.1 * len(verdicts)


@pytest.mark.parametrize(
    ("question", "gold", "other"),
    [
        ("What sport does Tor Lind play?", "ice hockey", "football"),
        ("On which continent is Bavu located?", "Africa", "Europe"),
        ("In which year was the bridge opened?", "1932", "1956"),
    ],
)
@pytest.mark.parametrize(
    "text",
    [
        "According to the most recent fact (#412), it is {}.",
        "{} [412].",
        "[412] {}",
        "412. {}",
        "{}^[412]",
        "{} (source: 412)",
        "{}.\n\nSource: [412]",
        "Per the newest record (412): {}.",
        "According to memory 412, {}.",
        "Based on the information in fact number 412, {}.",
    ],
)
def test_the_number_of_what_is_cited_is_no_value(
    text: str, question: str, gold: str, other: str
) -> None:
    assert correct_answer(text.format(gold), [gold], question).verdict == "right"
    assert correct_answer(text.format(other), [gold], question).verdict == "wrong"
