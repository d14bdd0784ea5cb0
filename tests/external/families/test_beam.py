import pytest

from mabench.data import Source
from mabench.families import Prompts, family_named
from mabench.families.family import JudgingInput, Rubric
from mabench.loading import validate


@pytest.fixture
def rubric() -> Rubric:
    rubric = family_named("beam").rubric
    assert rubric is not None
    return rubric


def _case(kind: str) -> JudgingInput:
    return JudgingInput("Q?", ["gold"], "answer", question_type=kind, keypoints=["one", "two"])


def _read(rubric: Rubric, kind: str, *replies: str) -> dict[str, int]:
    verdict: dict[str, int] = {}
    for prompt, reply in zip(rubric.prompts_for(_case(kind)), replies, strict=True):
        verdict |= prompt.read(reply) or {}
    return verdict


def test_each_line_has_a_prompt_and_orders_are_aligned_by_one(rubric: Rubric) -> None:
    verdict = _read(rubric, "abstention", '{"score": 0.5}', '{"score": 1}')
    assert rubric.value(verdict) == 0.75
    assert rubric.published is not None
    assert rubric.published(verdict) == 0.5  # The published code takes the whole part.
    for order, value in (("[1, 2]", 1), ("[2, 1]", 0), ("[]", 0)):
        verdict = _read(rubric, "event_ordering", f'{{"order": {order}}}')
        assert rubric.value(verdict) == value


def test_prompts_hold_the_line_the_question_and_the_answer(rubric: Rubric) -> None:
    sources = {"beam_1m": Source("beam_1m", split="BEAM", family="beam")}
    prompts = Prompts.load(sources=sources)
    for kind, shown in (("abstention", "two"), ("event_ordering", "1. one\n2. two")):
        text = prompts.ask_judge("beam", rubric.prompts_for(_case(kind))[-1])
        assert all(part in text for part in (shown, "Q?", "answer"))
        assert "gold" not in text


def test_a_question_without_a_rubric_is_judged_by_its_answers(rubric: Rubric) -> None:
    case = JudgingInput("What is it?", ["a boat"], "a boat", None, "abstention")
    (prompt,) = rubric.prompts_for(case)
    assert prompt.slots["line"] == "a boat"
    row: dict[str, object] = {"context": "[May] user: A boat.", "questions": ["What is it?"]}
    row |= {"answers": [["a boat"]], "metadata": {"source": "mine", "qa_pair_ids": ["a"]}}
    problems = validate([row], sources={"mine": {"family": "beam"}})
    assert {one.severity for one in problems} == {"warning"}
    assert [one.field for one in problems] == ["rubrics", "metadata.source"]
