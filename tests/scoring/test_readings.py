"""Answers in the forms that models give are read as a careful person reads them."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

import mabench
from mabench.families import Score
from mabench.scoring import Catalogue, correct_recommendation
from tests.scoring import readings
from tests.scoring.readings import Group

_GROUPS = readings.GROUPS
_IDS = [f"{group.source[:5]}-{group.gold[:12]}-{number}" for number, group in enumerate(_GROUPS)]
_SHAPED = {"labels", "choices", "event_choices", "country", "alternatives", "no"}
_SHAPED |= {"quantities", "spellings"}
_NUMBERS = {name.rpartition("/")[2][:-1]: str(number) for name, number in readings.FILMS.items()}
_LISTED = [_NUMBERS["Alien_(film)"], _NUMBERS["The_Matrix"]]


@pytest.fixture(scope="module")
def films() -> Catalogue:
    return Catalogue(readings.FILMS)


def _score(group: Group, prediction: str) -> Score:
    return mabench.score_answer(group.source, prediction, [group.gold], group.question)


@pytest.mark.parametrize("group", _GROUPS, ids=_IDS)
def test_answers_are_read_as_by_hand(group: Group) -> None:
    assert [p for p in group.right if _score(group, p).verdict not in ("right", "unclear")] == []
    assert [p for p in group.wrong if _score(group, p).verdict not in ("wrong", "unclear")] == []


def test_nearly_all_right_answers_are_read_as_right() -> None:
    verdicts = [_score(group, said).verdict for group in _GROUPS for said in group.right]
    assert verdicts.count("right") >= 0.97 * len(verdicts)


def test_an_unclear_answer_keeps_its_official_score() -> None:
    scores = [_score(group, prediction) for group in _GROUPS for prediction in group.wrong]
    unclear = [score for score in scores if score.verdict == "unclear"]
    assert unclear
    assert all(score.reported_corrected == score.reported for score in unclear)
    assert all(score.difference is None for score in unclear)


def _lines(text: str) -> list[str]:
    """Read predictions written one a line, a bar for a line feed, tables and bars apart."""
    read = []
    for line in text.strip().split("\n"):
        if line.startswith("| "):
            read.append(line.replace("||", "|\n|"))
        else:
            read.append(line if " | " in line else line.replace("|", "\n"))
    return read


def test_recommendations_are_read_as_by_hand(films: Catalogue) -> None:
    def recall(prediction: str) -> float | None:
        return correct_recommendation(prediction, _LISTED, films)["recsys_recall@5"].value

    assert [p for p in _lines(readings.RECOMMENDED) if recall(p) != 1] == []
    assert [p for p in _lines(readings.NOT_RECOMMENDED) if recall(p) != 0] == []


@pytest.mark.parametrize(("item", "film", "other"), readings.ITEMS)
def test_an_item_names_its_film_and_no_other(
    films: Catalogue, item: str, film: str, other: str
) -> None:
    for name, value in ((film, 1), (other, 0)):
        if name:
            scores = correct_recommendation(item, [_NUMBERS[name]], films, ks=(1,))
            assert scores["recsys_recall@1"].value == value, name


_SHAPES = (
    "{0}",
    "<think>No idea. Perhaps another?</think>{0}",
    "Perhaps another?</think>\n\n{0}",
    "{0}\n<think>Is that so",
    "<answer>{0}</answer>",
    "Some thoughts.\n<answer>{0}</answer>",
    "\\boxed{{{0}}}",
    "It follows that $\\boxed{{{0}}}$",
    "Answer: {0}",
    "answer:\n{0}",
    "**Answer:** {0}",
    "Final answer: {0}",
    "**Final Answer**\n{0}",
    "The answer is {0}",
    "I looked at everything.\nThe answer is: {0}",
    "First try.\nAnswer: nothing yet\nAnswer: {0}",
    "```\n{0}\n```",
    "Great question! {0}",
    "Understood. {0}",
    "Let me check my memory. {0}",
    "{0}\nI found this in my memory.",
    "{0}\nBased on the context provided.",
    "{0}\nThis was updated recently. Thank you for your question.",
)
_FIELDS = ("answer", "final_answer", "label", "predicted_label", "answer_letter", "correct_answer")
_GOLDS = {"icl": "28", "detective": "C. The Holm sisters", "eventqa": "She didn't speak."}


def _objects(answer: str, field: str) -> list[str]:
    whole = json.dumps({field: answer, "reasoning": "Others were thought of"})
    return [
        whole,
        f"Here:\n```json\n{whole}\n```",
        str({field: answer, "reasoning": "none"}),
        whole[: whole.index("thought")],
        json.dumps({"reasoning": "Others were thought of", field: answer}),
    ]


_CASES = [(group, group.gold) for group in _GROUPS if group.name in _SHAPED]


@given(case=st.sampled_from(_CASES), shape=st.sampled_from(_SHAPES))
def test_a_right_answer_stays_right_in_every_shape(case: tuple[Group, str], shape: str) -> None:
    group, gold = case
    assert _score(group, shape.format(gold)).verdict == "right"


@given(case=st.sampled_from(_CASES), field=st.sampled_from(_FIELDS), form=st.integers(0, 4))
def test_a_right_answer_stays_right_in_an_object(
    case: tuple[Group, str], field: str, form: int
) -> None:
    group, gold = case
    assert _score(group, _objects(gold, field)[form]).verdict == "right"


_SOURCES = ("ruler_qa1_197K", "icl_nlu_8296shot_balance", "detective_qa", "eventqa_full")


@given(source=st.sampled_from(_SOURCES), gold=st.text(min_size=1, max_size=40))
def test_a_gold_word_for_word_is_right(source: str, gold: str) -> None:
    if any(character.isalnum() for character in gold):
        assert mabench.score_answer(source, gold, [gold], "Which?").verdict == "right"


@pytest.mark.parametrize("case", ["a-ha", "A-ha", "A-HA"])
def test_case_and_hyphens_are_no_matter(case: str) -> None:
    assert mabench.score_answer("ruler_qa1_197K", case, ["a-ha"], "Which band?").verdict == "right"
