from datetime import UTC, datetime
from pathlib import Path

import pytest

from mabench import load
from mabench.data import Row
from mabench.data.turns import Message
from mabench.families import JudgingInput, family_of, score_answer
from mabench.injection import protocol_named
from mabench.loading import validate
from mabench_external.locomo import SOURCE
from tests.published_files import locomo, written


@pytest.fixture
def rows(tmp_path: Path) -> list[Row]:
    return list(load(written(tmp_path / "locomo10.json", locomo())).rows())


def test_each_conversation_is_a_row_with_all_its_questions_in_order(rows: list[Row]) -> None:
    assert [(row.source, row.index) for row in rows] == [("locomo", 0), ("locomo", 1)]
    for row, sample in zip(rows, locomo(), strict=True):
        assert row.questions == [one["question"] for one in sample["qa"]]
    assert rows[0].metadata.get("question_types") == [
        *("single-hop", "temporal", "multi-hop", "open-domain", "adversarial", "adversarial")
    ]
    assert rows[0].metadata.get("qa_pair_ids") == [f"talk-1_q{i}" for i in range(6)]
    assert rows[0].answers[1] == ["7"]
    assert rows[0].answers[4:] == [["No information available"], ["No"]]
    evidence = [["D2:2"], ["D2:3"], ["D2:2", "D10:1", "D2:3"], [], ["D9:9"], ["D10:1"]]
    assert rows[0].evidence == evidence


def test_the_history_has_sessions_by_number_with_turns_that_no_chunk_cuts(rows: list[Row]) -> None:
    row, lines = rows[0], rows[0].context.splitlines()
    assert lines[0] == "[1:56 pm on 8 May, 2023] Ugo: Hi!"
    assert "[picture: a photo of a canoe on a lawn]" in row.context
    assert lines[-1].startswith("[2:00 pm on 9 June, 2023] Ida: My sister Lena")
    assert "D2:2" not in row.context
    assert "adversarial" not in row.context
    said = {turn.id: row.context[turn.start : turn.end] for turn in row.turns or ()}
    assert list(said) == ["D2:1", "D2:2", "D2:3", "D10:1"]
    assert said["D2:3"] == "I planted seven pear trees behind the barn yesterday."
    time = datetime(2023, 5, 8, 13, 56, tzinfo=UTC)
    fields = {"time": time, "speaker": "Ugo", "session": "session_2"}
    assert (Message.of_row(row) or [])[0].fields == fields
    chunks = protocol_named("structured").chunks(family_of(SOURCE), row.context, 50)
    assert len(chunks) > 1
    for turn in row.turns or ():
        assert any(row.context[turn.start : turn.end] in chunk for chunk in chunks)


def test_validation_counts_what_is_left_out(tmp_path: Path) -> None:
    problems = validate(written(tmp_path / "locomo10.json", locomo()))
    assert {problem.severity for problem in problems} == {"warning"}
    *of_evidence, few = [problem.field for problem in problems if problem.field]
    assert of_evidence == ["qa[4].evidence[0]", "qa[4].evidence[1]"]
    assert few == "metadata.source"  # Too few histories for new ones.
    left_out = ["1 event_summary", "1 img_url", "1 speaker_a, 1 speaker_b"]
    left_out += ["1 dates without a session", "2 adversarial_answer"]
    counts = {problem.found for problem in problems if not problem.field}
    assert counts == {f"{one}, left out" for one in left_out}


def test_the_real_file_is_read_whole(real_data: Path) -> None:
    path = real_data / "external" / "locomo-dev.json"
    if not path.is_file():
        pytest.skip(f"no {path}")
    rows = list(load(path).rows())
    assert [len(row.questions) for row in rows] == [199, 105, 193, 242, 190]
    unknown = [
        one
        for row in rows
        for listed in row.evidence or ()
        for one in {*listed} - {turn.id for turn in row.turns or ()}
    ]
    assert len(unknown) == 1  # An id past the end of its session.


_NONE = ("No information available", "adversarial")


@pytest.mark.parametrize(
    ("prediction", "gold", "kind", "official", "corrected"),
    [
        ("She bought a red canoe.", "a red canoe", "single-hop", 2 / 3, 1.0),
        ("May 7, 2023", "7 May 2023", "temporal", 1.0, 1.0),
        ("swimming and pottery", "pottery, camping, painting, swimming", "multi-hop", None, 0.5),
        ("swimming, camping, pottery", "pottery, camping, swimming", "multi-hop", 1.0, 1.0),
        ("Likely yes", "Likely yes; she bought a canoe", "open-domain", 1.0, 1.0),
        ("I don't know.", *_NONE, 0.0, 1.0),
        ("I could only guess.", *_NONE, 0.0, 1.0),
        ("They never talk about it.", *_NONE, 0.0, 1.0),
        ("I looked. It is not said: unknown.", *_NONE, 0, 1),
        ("Rock.\nI can't wait for it. So fun!", *_NONE, 0, 0),
        ("It is unknown, but probably jazz", *_NONE, 0, 0),
        ("Nothing was said. My guess: jazz", *_NONE, 0, 0),
        ("Not mentioned", *_NONE, 1.0, 1.0),
        ("A red canoe", *_NONE, 0.0, 0.0),
        ("No, he did not.", "No", "adversarial", 0.0, 1.0),
        ("Yes", "No", "adversarial", 0.0, 0.0),
        ("", *_NONE, 0.0, 0.0),
        ("The red canoe!", "a red canoe", "single-hop", 1.0, 1.0),
        ("1,000 trees and a pond", "1000 tree", "single-hop", 0.8, None),
        ("old, old boat", "old boat", "single-hop", 0.8, None),
        ("", "a red canoe", "single-hop", 0.0, 0.0),
        ("the", "a", "single-hop", 0.0, None),
        ("pears, cats", "cat, dogs", "multi-hop", 0.5, None),
        ("There is NO INFORMATION AVAILABLE on it.", "No", "adversarial", 1.0, None),
        ("That was not Mentioned", "No", "adversarial", 1.0, None),
        ("a\u2019s canoe", "canoe", "single-hop", 2 / 3, None),
    ],
)
def test_both_scores_go_by_the_category(
    prediction: str, gold: str, kind: str, official: float | None, corrected: float | None
) -> None:
    score = score_answer(SOURCE, prediction, [gold], "Q?", question_type=kind)
    if official is not None:
        assert score.reported == pytest.approx(official)
    if corrected is not None:
        assert score.reported_corrected == corrected


def test_the_judge_is_asked_by_the_category_and_stands_beside() -> None:
    family = family_of(SOURCE)
    assert family.rubric is not None
    assert family.needs is None
    for kind, role in (("temporal", "judge"), ("adversarial", "judge_unanswerable")):
        case = JudgingInput("Q?", ["x"], "y", question_type=kind)
        assert family.rubric.prompts_for(case)[0].role == role
