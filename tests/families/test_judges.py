from __future__ import annotations

from pathlib import Path

import pytest

from mabench.errors import UsageError
from mabench.families import FAMILIES, JudgingInput, Prompts, Rubric


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
    text = Prompts.load().ask_judge("longmemeval", prompt)
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
    prompts = [Prompts.load().ask_judge("infbench", one) for one in (fluency, points, sentences)]
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
    ours, theirs = Prompts.load(), Prompts.load(file)
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
        Prompts.load(file)


def test_the_published_judges_replies_are_read(tmp_path: Path) -> None:
    """Their fields, after reasoning, whatever the prompts of a user ask for."""
    judged = JudgingInput("Summarize.", ["The reference."], "The summary.", keypoints=["A.", "B."])
    rubric = rubric_of("infbench")
    replies = [
        'It has 2 faults, so {"fluency": 0}? They are small.\n{"fluency": 1}',
        'Reasoning: point 1 is there, point 2 is not.\nOutput: {"recall": 1}',
        'Sentence 1 is supported, 2 to 4 are not.\n{"precision": 1, "sentence_count": 4}',
    ]
    whole: dict[str, int] = {}
    for prompt, reply in zip(rubric.prompts_for(judged), replies, strict=True):
        reading = prompt.read(reply)
        assert reading is not None
        whole |= reading
    assert whole == {"fluent": 1, "found": 1, "keypoints": 2, "supported": 1, "sentences": 4}
    assert rubric.value(whole) == pytest.approx(2 * 0.5 * 0.25 / 0.75)


def test_a_last_sentence_that_is_cut_short_is_no_fault() -> None:
    (fluency, *_) = rubric_of("infbench").prompts_for(
        JudgingInput("Summarize.", ["x"], "y", keypoints=["A."])
    )
    text = " ".join(Prompts.load().ask_judge("infbench", fluency).split())
    assert "its last sentence alone is cut short is no fault" in text
    assert "stop in the middle" not in text


def test_a_file_says_how_a_judge_is_asked(tmp_path: Path) -> None:
    file = tmp_path / "prompts.toml"
    file.write_text("[infbench]\njudge_tokens = 4096\njudge_temperature = 0.1\n", encoding="utf-8")
    ours, theirs = Prompts.load(), Prompts.load(file)
    assert theirs.judges == {"infbench": {"judge_tokens": 4096, "judge_temperature": 0.1}}
    assert ours.judges == {}
    assert theirs.judge_hash("infbench") != ours.judge_hash("infbench")
    assert theirs.judge_hash("longmemeval") == ours.judge_hash("longmemeval")
    assert theirs.hash == ours.hash


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[infbench]\njudge_tokens = 0", "judge_tokens: is 0; it must be a whole number"),
        ("[infbench]\njudge_tokens = true", "judge_tokens: is True; it must be a whole number"),
        ('[infbench]\njudge_temperature = "hot"', "is 'hot'; it must be a number from 0 to 2"),
        ("[infbench]\njudge_temperature = -1", "is -1; it must be a number from 0 to 2"),
        ("[infbench]\njudge_temperature = nan", "is nan; it must be a number from 0 to 2"),
    ],
)
def test_wrong_settings_of_a_judge_are_refused(tmp_path: Path, text: str, message: str) -> None:
    file = tmp_path / "prompts.toml"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(UsageError, match=message):
        Prompts.load(file)
