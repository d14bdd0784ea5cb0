from __future__ import annotations

from pathlib import Path

import pytest

from mabench.errors import UsageError
from mabench.families import FAMILIES, JudgingInput, Rubric, load_prompts


def rubric_of(family: str) -> Rubric:
    rubric = FAMILIES[family].rubric
    assert rubric is not None
    return rubric


def test_only_the_two_families_that_the_paper_judges_have_a_judge() -> None:
    assert [name for name, family in FAMILIES.items() if family.rubric] == [
        "longmemeval",
        "infbench",
    ]


@pytest.mark.parametrize(
    ("question_id", "question_type", "role"),
    [
        ("ab12", "single-session-user", "judge"),
        ("ab12", "multi-session", "judge"),
        (None, None, "judge"),
        ("ab12", "temporal-reasoning", "judge_temporal"),
        ("ab12", "knowledge-update", "judge_update"),
        ("ab12", "single-session-preference", "judge_preference"),
        ("ab12_abs", "temporal-reasoning", "judge_abstention"),
    ],
)
def test_the_prompt_follows_the_type_of_the_question(
    question_id: str | None, question_type: str | None, role: str
) -> None:
    judged = JudgingInput(
        "How many?", ["7", "seven"], "It is {answer}.", question_id, question_type
    )
    (prompt,) = rubric_of("longmemeval").prompts_for(judged)
    assert prompt.role == role
    text = load_prompts().ask_judge("longmemeval", prompt)
    assert "How many?" in text
    assert "7 or seven" in text
    assert "It is {answer}." in text, "what fills a slot is never read as a slot"
    assert "RULE" not in text


def test_a_summary_is_asked_about_three_times() -> None:
    judged = JudgingInput(
        "Summarize.", ["The reference."], "The summary.", keypoints=["A dies.", "B."]
    )
    rubric = rubric_of("infbench")
    fluency, points, sentences = rubric.prompts_for(judged)
    prompts = [load_prompts().ask_judge("infbench", one) for one in (fluency, points, sentences)]
    assert all("The summary." in prompt for prompt in prompts)
    assert "1. A dies.\n2. B." in prompts[1]
    assert "The reference." in prompts[2]
    readings = [
        fluency.read('{"fluent": 7}'),
        points.read('{"found": 9}'),
        sentences.read('{"supported": 9, "sentences": 4}'),
    ]
    whole: dict[str, int] = {}
    for reading in readings:
        assert reading is not None
        whole |= reading
    assert whole == {"fluent": 1, "found": 2, "keypoints": 2, "supported": 4, "sentences": 4}
    assert rubric.value(whole) == 1


def test_without_key_points_there_is_nothing_to_judge_by() -> None:
    assert rubric_of("infbench").prompts_for(JudgingInput("Summarize.", ["x"], "y")) == []


def test_a_file_replaces_a_judges_prompt_and_changes_its_hash_only(tmp_path: Path) -> None:
    file = tmp_path / "prompts.toml"
    file.write_text('[longmemeval]\njudge_update = "Is {prediction} right?"\n', encoding="utf-8")
    ours, theirs = load_prompts(), load_prompts(file)
    judged = JudgingInput("Q", ["a"], "p", "id", "knowledge-update")
    (prompt,) = rubric_of("longmemeval").prompts_for(judged)
    assert theirs.ask_judge("longmemeval", prompt) == "Is p right?"
    assert theirs.judge_hash("longmemeval") != ours.judge_hash("longmemeval")
    assert theirs.judge_hash("infbench") == ours.judge_hash("infbench")
    assert theirs.hash == ours.hash


def test_a_judges_prompt_without_the_answer_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "prompts.toml"
    file.write_text('[infbench]\njudge_fluency = "Fluent?"\n', encoding="utf-8")
    with pytest.raises(
        UsageError, match=r"judge_fluency: must be a string that holds \{prediction}"
    ):
        load_prompts(file)
