"""Benchmarks are recognized as they are published, and read as rows."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from mabench import load
from mabench.data.writing.importing import import_published
from mabench.errors import DataError
from mabench.families import JudgingInput, family_of, score_answer
from mabench.loading import validate
from tests.external import made_up

LAYOUTS: dict[str, Callable[..., Path]] = {
    "personamem": made_up.personamem,
    "personamem-v2": made_up.personamem_v2,
    "precisionmembench-cases": made_up.precisionmembench,
    "membench": made_up.membench,
    "lifebench": made_up.lifebench,
    "realmem": made_up.realmem,
    "halumem": made_up.halumem,
    "convomem": made_up.convomem,
    "longmemeval-v2": made_up.longmemeval_v2,
}


def data_of(name: str, folder: Path, **changed: Any) -> Path:
    made = LAYOUTS[name](folder, **changed)
    return made / "HaluMem-Medium.jsonl" if name == "halumem" else made


@pytest.mark.parametrize("name", LAYOUTS)
def test_imported_rows_are_those_of_the_files(name: str, tmp_path: Path) -> None:
    data = data_of(name, tmp_path / "data")
    import_published(name, data, tmp_path / "rows")
    ours, theirs = load(tmp_path / "rows"), load(data)
    assert (ours.outline, ours.fingerprint) == (theirs.outline, theirs.fingerprint)
    assert {one.severity for one in validate(tmp_path / "rows")} <= {"warning"}


@pytest.mark.parametrize("name", LAYOUTS)
def test_no_history_holds_a_gold_beside_what_was_said(name: str, tmp_path: Path) -> None:
    for row in load(data_of(name, tmp_path)).rows():
        told = row.context
        for mark in ("containsEvidence", "memory_used", "ground_truth", "target_step", "event_id"):
            assert mark not in told


def test_options_of_personamem_v2_have_a_fixed_order_that_is_not_the_files(tmp_path: Path) -> None:
    [row] = load(made_up.personamem_v2(tmp_path)).rows()
    assert row.source == "personamem_v2_32k"
    assert row.metadata.get("qa_pair_ids") == ["7_0", "7_1"]
    assert row.questions[0] == row.questions[1]
    assert sorted(line[3:] for line in row.questions[0].splitlines()[1:]) == [
        *("Pie", "Rice", "Soup", "Stew")
    ]
    assert row.answers[0][0].endswith(". Rice")


def test_each_trajectory_of_membench_is_a_row(tmp_path: Path) -> None:
    first, second, third = load(made_up.membench(tmp_path)).rows()
    assert first.source == "membench_participation_reflective"
    assert first.context.startswith("user: I like tea. (place: Bree)\nagent: I see.\n")
    assert second.questions[0].startswith(
        "(It is '2024-10-01 08:13' Tuesday.) Where do I live?\nA."
    )
    assert second.answers == [["B. Arden"]]
    assert "C. Cray, Dun" in second.questions[0]
    assert (second.evidence, third.evidence) == ([["1"]], [["0:1"]])
    assert {turn.id for turn in third.turns or ()} == {"0:0", "0:1"}


def test_a_year_of_lifebench_is_a_row_for_each_kind_of_question(tmp_path: Path) -> None:
    chosen, opened = load(made_up.lifebench(tmp_path)).rows()
    assert (chosen.source, opened.source) == ("lifebench_options", "lifebench")
    assert chosen.questions == ["Which town?\nA. Bree\nB. Arden"]
    assert chosen.answers == [["B. Arden"]]
    assert chosen.evidence == [["sms3"]]
    assert [turn.id for turn in chosen.turns or ()] == ["contact1", "note1", "sms3"]
    assert "event_id" not in chosen.context
    assert chosen.context == opened.context


def test_lifebench_in_the_form_of_locomo_is_told_by_its_categories(tmp_path: Path) -> None:
    turn = {"speaker": "ama", "dia_id": "2025-01-01_sms3", "text": "In Arden!"}
    talk = {"speaker_a": "ama", "session_1": [turn], "session_1_date_time": "2025-01-01"}
    asked = {"question": "Which town?", "answer": "Arden", "evidence": ["sms3"], "category": "3"}
    content = [{"sample_id": "ama", "conversation": talk, "qa": [asked]}]
    [row] = load(made_up.write_json(tmp_path / "our_en.json", content)).rows()
    assert row.source == "lifebench"
    assert row.metadata.get("question_types") == ["Temporal and Knowledge Updating"]


def test_a_question_of_realmem_knows_the_sessions_before_its_own(tmp_path: Path) -> None:
    [row] = load(made_up.realmem(tmp_path)).rows()
    assert row.questions == ["Which town?"]
    assert row.answers == [["Arden, as you said."]]
    assert row.asked_after == ["Travel:S1_01:2"]
    assert row.evidence == [["Travel:S1_01"]]
    assert row.rubrics == [["Wants to see Arden"]]


def test_a_question_of_halumem_knows_its_own_session(tmp_path: Path) -> None:
    [row] = load(data_of("halumem", tmp_path)).rows()
    assert row.asked_after == ["session_2:1"]
    assert row.metadata.get("qa_pair_ids") == ["u1_2_0"]
    assert row.rubrics == [["Lives in Arden"]]
    assert row.evidence == [[]]  # No turn says that word for word.
    assert len(row.turns or ()) == 3


def test_evidence_of_halumem_is_what_turns_say_word_for_word(tmp_path: Path) -> None:
    points = [{"memory_content": "I live in Arden.", "memory_type": "Persona Memory"}]
    for evidence, found in ((points, ["session_1:1"]), ([], [])):
        [row] = load(data_of("halumem", tmp_path, evidence=evidence)).rows()
        assert row.evidence == [found]


def test_evidence_of_convomem_is_found_by_its_words(tmp_path: Path) -> None:
    [row] = load(made_up.convomem(tmp_path)).rows()
    assert row.evidence == [["session_2:1"]]
    assert row.answers == [["A cat and a dog"]]


@pytest.mark.parametrize(
    ("source", "replies"),
    [
        ("realmem", {'{"score": 3}': 1.0, '{"score": 1}': 1 / 3, '{"score": 0}': 0.0}),
        ("halumem", {'{"verdict": 2}': 1.0, '{"verdict": 1}': 0.0, '{"verdict": 0}': 0.0}),
    ],
)
def test_verdicts_become_scores_by_the_published_formula(
    source: str, replies: dict[str, float], tmp_path: Path
) -> None:
    data = load(data_of(source, tmp_path))
    rubric = family_of(source, data.sources).rubric
    assert rubric is not None
    case = JudgingInput("Which town?", ["Arden"], "Arden", keypoints=["Wants Arden"])
    [prompt] = rubric.prompts_for(case)
    assert "Wants Arden" in prompt.slots["memories"]
    for reply, score in replies.items():
        verdict = prompt.read(reply)
        assert verdict is not None
        assert rubric.value(verdict) == pytest.approx(score)
    assert prompt.read('{"score": 7, "verdict": 7}') is None


@pytest.mark.parametrize("source", ["convomem", "lifebench"])
def test_questions_without_an_answer_have_a_prompt_of_their_own(
    source: str, tmp_path: Path
) -> None:
    rubric = family_of(source, load(data_of(source, tmp_path)).sources).rubric
    assert rubric is not None
    roles = [
        rubric.prompts_for(JudgingInput("Q?", ["x"], "y", question_type=kind))[0].role
        for kind in ("user_evidence", "abstention_evidence", "Unanswerable")
    ]
    assert roles == ["judge", "judge_unanswerable", "judge_unanswerable"]


def test_an_option_is_scored_by_its_letter(tmp_path: Path) -> None:
    source = load(made_up.lifebench(tmp_path)).sources["lifebench_options"]
    asked = (["B. Arden"], "In which town does she live?\nA. Bree\nB. Arden")
    for said, official in (("B", True), (" B\n", True), ("It is B.", False), ("A", False)):
        assert bool(score_answer(source, said, *asked).reported) is official
    assert score_answer(source, "The answer is B.", *asked).reported_corrected == 1


@pytest.mark.parametrize(
    ("name", "changed", "expected"),
    [
        ("personamem-v2", {"user_query": "What?"}, "benchmark.csv, row 0, user_query: found"),
        ("personamem-v2", {"incorrect_answers": "[]"}, "row 0, incorrect_answers: found '[]'"),
        ("personamem-v2", {"chat_history_32k_link": "no.json"}, "row 0, chat_history_32k_link"),
        ("membench", {"ground_truth": "E"}, "QA.ground_truth: found 'E'; expected one of"),
        ("membench", {"choices": {"B": "x"}}, "QA.choices: found B; expected an object with"),
        ("membench", {"target_step_id": 3}, "QA.target_step_id: found 3 (int); expected a list"),
        ("lifebench", {"question": ""}, "QA_clean.json, row 0, [0].question: found ''"),
        ("lifebench", {"options": [{"option": "A"}]}, "[0].options[0].content: found nothing"),
        ("realmem", {"content": 7}, "dialogues[1].dialogue_turns[0].content: found 7 (int)"),
        ("halumem", {"answer": None}, "sessions[1].questions[0].answer: found null"),
        ("convomem", {"conversations": "x"}, "row 0, evidence_items[0].conversations: found 'x'"),
    ],
)
def test_a_wrong_field_is_named_with_its_file_and_record(
    name: str, changed: dict[str, Any], expected: str, tmp_path: Path
) -> None:
    data = data_of(name, tmp_path, **changed)
    with pytest.raises(DataError) as error:
        list(load(data).rows())
    assert expected in str(error.value)
    assert str(tmp_path) in str(error.value)
