"""The prompts that agents and judges get, and the file by which a user replaces them."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mabench.errors import UsageError
from mabench.families import FAMILIES, JudgePrompt, JudgingInput, Prompts, Rubric, search_query

OURS = Prompts.load()


def _load(folder: Path, text: str) -> Prompts:
    path = folder / "prompts.toml"
    path.write_text(text, encoding="utf-8")
    return Prompts.load(path)


def _rubric(family: str) -> Rubric:
    rubric = FAMILIES[family].rubric
    assert rubric is not None
    return rubric


def _asked(question_id: str | None, question_type: str | None) -> JudgePrompt:
    case = JudgingInput("How many?", ["7", "seven"], "It is {answer}.", question_id, question_type)
    (prompt,) = _rubric("longmemeval").prompts_for(case)
    return prompt


@pytest.mark.parametrize("family", FAMILIES)
def test_every_family_asks_and_tells_in_its_prompts(family: str) -> None:
    assert OURS.ask(family, "Who {is} it?").count("Who {is} it?") == 1
    assert OURS.tell(family, "A {chunk} of {time}.") == "A {chunk} of {time}."
    told = Prompts.load(Path("paper")).tell(family, "<the chunk>")
    assert "\n<the chunk>\n" in told
    assert told.startswith("2") == (family != "longmemeval"), "dated chats alone need no clock"


def test_a_file_replaces_by_family_and_role(tmp_path: Path) -> None:
    text = '[icl]\nanswer = "Label: {question}"\nmemorize = "Keep this: {chunk}"\n'
    theirs = _load(tmp_path, f'{text}[ruler]\nmemorize = "At {{time}}: {{chunk}}"')
    assert theirs.ask("icl", "lost card") == "Label: lost card"
    assert theirs.tell("icl", "a\nlabel: 1") == "Keep this: a\nlabel: 1"
    assert theirs.ask("ruler", "Who?") == OURS.ask("ruler", "Who?")
    assert theirs.tell("ruler", "It is {time}.").endswith(": It is {time}.")
    assert theirs.tell("ruler", "x").startswith("At 2")
    assert Prompts.load().hash == OURS.hash != theirs.hash
    assert OURS.hash.startswith("74753e581c3e0fd3")  # As runs have recorded it.


def test_there_is_no_system_message_but_what_is_asked_for(tmp_path: Path) -> None:
    theirs = _load(tmp_path, '[icl]\nsystem = "You label texts."')
    assert (OURS.system("icl"), theirs.system("icl")) == ("", "You label texts.")
    assert theirs.hash != OURS.hash
    both = Prompts.load(tmp_path / "prompts.toml", system="You remember.")
    assert (both.system("icl"), both.system("ruler")) == ("You label texts.", "You remember.")


def test_the_search_query_is_what_follows_a_marker() -> None:
    for prompt, expected in {
        "Example. Now Answer the Question: A? Now Answer the Question: B?": "B?",
        "Do it. Here is the conversation: \nUser: Hi\n": "User: Hi",
        "Neither marker stands here.": "Neither marker stands here.",
        "Now Answer the Question: ": "Now Answer the Question: ",
    }.items():
        assert search_query(prompt) == expected


@given(st.text(alphabet=st.characters(codec="utf-8"), min_size=1).map(str.strip).filter(bool))
def test_with_our_prompts_a_search_begins_with_the_question(question: str) -> None:
    for family in FAMILIES:
        # Questions of this family bring the marker themselves.
        own = "Now Answer the Question: " if family == "longmemeval" else ""
        assert search_query(OURS.ask(family, own + question)).startswith(question)


def test_the_judge_s_prompt_follows_the_type_of_the_question() -> None:
    for question_id, question_type, role in (
        ("ab12", "multi-session", "judge"),
        (None, None, "judge"),
        ("ab12", "temporal-reasoning", "judge_temporal"),
        ("ab12", "knowledge-update", "judge_update"),
        ("ab12", "single-session-preference", "judge_preference"),
        ("ab12_abs", "temporal-reasoning", "judge_abstention"),
    ):
        prompt = _asked(question_id, question_type)
        assert prompt.role == role
        text = OURS.ask_judge("longmemeval", prompt)
        # What fills a slot is never read as a slot.
        assert all(part in text for part in ("How many?", "7 or seven", "It is {answer}."))
        assert "TEXT" not in text


@pytest.mark.parametrize(
    ("replies", "verdict", "value"),
    [
        (
            ['{"fluent": 7}', '{"found": 9}', '{"supported": 9, "sentences": 4}'],
            {"fluent": 1, "found": 2, "keypoints": 2, "supported": 4, "sentences": 4},
            1,
        ),
        (  # The published judge's fields, after reasoning, whatever a user's prompts ask for.
            [
                'It has 2 faults, so {"fluency": 0}? They are small.\n{"fluency": 1}',
                'Reasoning: point 1 is there, point 2 is not.\nOutput: {"recall": 1}',
                'Sentence 1 is supported, 2 to 4 are not.\n{"precision": 1, "sentence_count": 4}',
            ],
            {"fluent": 1, "found": 1, "keypoints": 2, "supported": 1, "sentences": 4},
            2 * 0.5 * 0.25 / 0.75,
        ),
    ],
)
def test_a_summary_is_asked_about_three_times(
    replies: list[str], verdict: dict[str, int], value: float
) -> None:
    rubric = _rubric("infbench")
    case = JudgingInput("Sum up.", ["The reference."], "The summary.", keypoints=["A dies.", "B."])
    asked = rubric.prompts_for(case)
    fluency, points, sentences = (OURS.ask_judge("infbench", one) for one in asked)
    assert all("The summary." in prompt for prompt in (fluency, points, sentences))
    assert ("1. A dies.\n2. B." in points, "The reference." in sentences) == (True, True)
    assert "its last sentence alone is cut short is no fault" in fluency
    whole: dict[str, int] = {}
    for prompt, reply in zip(asked, replies, strict=True):
        whole |= prompt.read(reply) or {}
    assert whole == verdict
    assert rubric.value(whole) == pytest.approx(value)
    assert rubric.prompts_for(case._replace(keypoints=[])) == []  # Nothing to judge by.


def test_a_file_replaces_a_judge_s_prompt_and_says_how_it_is_asked(tmp_path: Path) -> None:
    theirs = _load(tmp_path, '[longmemeval]\njudge_update = "Is {prediction} right?"\n')
    assert theirs.ask_judge("longmemeval", _asked("id", "knowledge-update")) == (
        "Is It is {answer}. right?"
    )
    assert theirs.judge_hash("longmemeval") != OURS.judge_hash("longmemeval")
    assert theirs.judge_hash("infbench") == OURS.judge_hash("infbench")
    settings = _load(tmp_path, "[infbench]\njudge_tokens = 4096\njudge_temperature = 0.1\n")
    assert settings.judges == {"infbench": {"judge_tokens": 4096, "judge_temperature": 0.1}}
    assert OURS.judges == {}
    assert settings.judge_hash("infbench") != OURS.judge_hash("infbench")
    assert settings.judge_hash("longmemeval") == OURS.judge_hash("longmemeval")
    assert theirs.hash == settings.hash == OURS.hash  # Agents see none of it.


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('[icll]\nanswer = "{question}"', r"unknown family 'icll': did you mean icl\?"),
        ('[icl]\nanwser = "{question}"', r"unknown role 'anwser': did you mean answer\?"),
        ('[icl]\nanswer = "Label it."', r"\[icl\] answer: must be a string that holds {question}"),
        ("[icl]\nanswer = 3", "must be a string"),
        ("icl = 3", "must be a table"),
        ("[icl", "not a readable TOML file"),
        ('[infbench]\njudge_fluency = "Fluent?"', r"judge_fluency: must .* holds \{prediction}"),
        ("[infbench]\njudge_tokens = 0", "judge_tokens: is 0; it must be a whole number"),
        ("[infbench]\njudge_tokens = true", "judge_tokens: is True; it must be a whole number"),
        ("[infbench]\njudge_temperature = nan", "is nan; it must be a number from 0 to 2"),
    ],
)
def test_a_wrong_file_is_refused_by_name(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        _load(tmp_path, text)
    with pytest.raises(UsageError, match=r"nowhere\.toml"):
        Prompts.load(tmp_path / "nowhere.toml")
