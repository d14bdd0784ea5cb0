"""Files of other benchmarks are read as rows, and their questions scored as they say."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from mabench import load
from mabench.data import Row
from mabench.data.turns import Message
from mabench.errors import DataError
from mabench.families import JudgingInput, Prompts, Rubric, family_named, score_answer
from mabench.injection import protocol_named
from mabench.loading import validate
from mabench_external.locomo import SOURCE
from tests.published_files import beam, locomo, longmemeval, written

_LOST = Path("probing_questions", "probing_questions.json")


@pytest.fixture
def talks(tmp_path: Path) -> list[Row]:
    return list(load(written(tmp_path / "locomo10.json", locomo())).rows())


def test_each_conversation_is_a_row_with_all_its_questions_in_order(talks: list[Row]) -> None:
    assert [(row.source, row.index) for row in talks] == [("locomo", 0), ("locomo", 1)]
    for row, sample in zip(talks, locomo(), strict=True):
        assert row.questions == [one["question"] for one in sample["qa"]]
    assert talks[0].metadata.get("question_types") == [
        *("single-hop", "temporal", "multi-hop", "open-domain", "adversarial", "adversarial")
    ]
    assert talks[0].metadata.get("qa_pair_ids") == [f"talk-1_q{i}" for i in range(6)]
    assert talks[0].answers[1] == ["7"]
    assert talks[0].answers[4:] == [["No information available"], ["No"]]
    evidence = [["D2:2"], ["D2:3"], ["D2:2", "D10:1", "D2:3"], [], ["D9:9"], ["D10:1"]]
    assert talks[0].evidence == evidence


def test_the_history_has_sessions_by_number_with_turns_that_no_chunk_cuts(talks: list[Row]) -> None:
    row, lines = talks[0], talks[0].context.splitlines()
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
    chunks = protocol_named("structured").chunks(family_named("locomo"), row.context, 50)
    assert len(chunks) > 1
    for turn in row.turns or ():
        assert any(row.context[turn.start : turn.end] in chunk for chunk in chunks)


def test_what_is_left_out_of_a_conversation_is_counted(tmp_path: Path) -> None:
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
    family = family_named("locomo")
    assert family.rubric is not None
    assert not family.needs_judge
    for kind, role in (("temporal", "judge"), ("adversarial", "judge_unanswerable")):
        case = JudgingInput("Q?", ["x"], "y", question_type=kind)
        assert family.rubric.prompts_for(case)[0].role == role


def test_each_question_is_a_row_with_its_own_history_and_evidence(tmp_path: Path) -> None:
    file = written(tmp_path / "longmemeval_s.json", longmemeval())
    row, second = load(file).rows()
    assert [row.source, second.source] == ["longmemeval"] * 2
    assert row.answers == [["5"]]
    assert row.questions[0].endswith("Now Answer the Question: How is my cat called?")
    assert "2023/05/30 (Tue) 23:40" in row.questions[0]
    assert second.metadata.get("question_ids") == ["q2_abs"]
    assert row.context == (
        "Chat Time: 2023/04/01 (Sat) 10:00\nuser: Will it rain in Bergen tomorrow?\n\n"
        "Chat Time: 2023/05/20 (Sat) 02:21\nuser: My cat is called Minka, by the way.\n\n"
        "Chat Time: 2023/05/20 (Sat) 02:21\nassistant: What a lovely name for a cat that is.\n\n"
    )
    assert len(family_named("longmemeval").units(row.context)) == 3
    assert "has_answer" not in row.context
    assert "s_cat" not in row.context
    assert row.evidence == [["session_2:1", "session_2"]]
    assert second.evidence == [[]]
    assert (Message.of_row(row) or [])[0].fields == {
        "time": datetime(2023, 4, 1, 10, tzinfo=UTC),
        "role": "user",
        "session": "session_1",  # Published ids tell where the answers are.
    }
    (few,) = validate(written(file, longmemeval()[:1]))
    assert few.found == "1 history of longmemeval"  # Too few for new ones.


def rubric() -> Rubric:
    rubric = family_named("beam").rubric
    assert rubric is not None
    return rubric


@pytest.mark.parametrize("part", ["", "chats", "chats/100K"])
def test_a_folder_is_opened_at_any_height(tmp_path: Path, part: str) -> None:
    sources = [row.source for row in load(beam(tmp_path) / part).rows()]
    assert sources == ["beam_100k", "beam_10m"][: 1 if "K" in part else 2]


@pytest.mark.parametrize("file", ["", "chat.json", str(_LOST)])
def test_one_chat_alone_is_data_by_its_folder_or_either_file(tmp_path: Path, file: str) -> None:
    whole = beam(tmp_path)
    chat = whole / "chats" / "100K" / "2"
    alone = load(chat / file)
    assert list(alone) == list(load(whole).select("beam_100k"))
    assert alone.location is not None
    assert load(alone.location).fingerprint == alone.fingerprint
    (chat / _LOST).unlink()
    for path in (chat / file, whole) if file != str(_LOST) else [whole]:
        with pytest.raises(DataError, match=f"{chat / _LOST}, row 0: found No such file"):
            list(load(path))


def test_each_chat_is_a_row_with_abilities_rubrics_and_evidence(tmp_path: Path) -> None:
    row, other_row = load(beam(tmp_path)).rows()
    abilities = ["information_extraction", "event_ordering", "abstention"]
    assert row.metadata.get("question_types") == abilities
    assert row.rubrics == [
        *(["says 40 crowns", "says a week"], ["the boat", "the berth"], ["says so"])
    ]
    assert row.evidence == [["2", "3"], ["0", "2", "99"], []]
    assert row.answers == [["40"], ["The boat, then the berth"], ["Unknown"]]
    assert row.metadata.get("qa_pair_ids") == [f"beam_100k_2_{ability}_0" for ability in abilities]
    assert "->->" not in row.context
    assert "[March-15-2024] user: I want to paint my boat green.\n" in row.context
    *_, one, other = [(turn.id, turn.session) for turn in other_row.turns or []]
    assert (one, other) == (("3", "plan-1 batch 1"), ("4", "plan-2 batch 1"))
    assert len(family_named("beam").units(other_row.context)) == 5


def test_real_chats_are_read_whole(real_data: Path) -> None:
    folder = real_data / "external" / "beam"
    if not folder.is_dir():
        pytest.skip(f"no {folder}")
    dataset = load(folder)
    assert {one.source for one in dataset.outline} == {"beam_100k", "beam_500k", "beam_1m"}
    assert [one.questions for one in dataset.outline] == [20] * 8
    for row in dataset.rows():
        known = {turn.id for turn in row.turns or ()}
        assert known.issuperset(one for ids in row.evidence or () for one in ids)
        assert len(row.context) > 400_000


def _case(kind: str) -> JudgingInput:
    return JudgingInput("Q?", ["gold"], "answer", question_type=kind, keypoints=["one", "two"])


@pytest.mark.parametrize(
    ("kind", "replies", "value", "published"),
    [
        # The published code takes the whole part.
        ("abstention", ['{"score": 0.5}', '{"score": 1}'], 0.75, 0.5),
        ("event_ordering", ['{"order": [1, 2]}'], 1, 1),
        ("event_ordering", ['{"order": [2, 1]}'], 0, 0),
        ("event_ordering", ['{"order": []}'], 0, 0),
    ],
)
def test_each_line_has_a_prompt_and_orders_are_aligned_by_one(
    kind: str, replies: list[str], value: float, published: float
) -> None:
    verdict: dict[str, int] = {}
    for prompt, reply in zip(rubric().prompts_for(_case(kind)), replies, strict=True):
        verdict |= prompt.read(reply) or {}
    assert rubric().value(verdict) == value
    assert rubric().published is not None
    assert rubric().published(verdict) == published  # type: ignore[misc]


def test_prompts_hold_the_line_the_question_and_the_answer(tmp_path: Path) -> None:
    prompts = Prompts.load(sources=load(beam(tmp_path)).sources)
    for kind, shown in (("abstention", "two"), ("event_ordering", "1. one\n2. two")):
        text = prompts.ask_judge("beam", rubric().prompts_for(_case(kind))[-1])
        assert all(part in text for part in (shown, "Q?", "answer"))
        assert "gold" not in text


def test_a_question_without_a_rubric_is_judged_by_its_answers() -> None:
    case = JudgingInput("What is it?", ["a boat"], "a boat", None, "abstention")
    (prompt,) = rubric().prompts_for(case)
    assert prompt.slots["line"] == "a boat"
    row: dict[str, object] = {"context": "[May] user: A boat.", "questions": ["What is it?"]}
    row |= {"answers": [["a boat"]], "metadata": {"source": "mine", "qa_pair_ids": ["a"]}}
    problems = validate([row], sources={"mine": {"family": "beam"}})
    assert {one.severity for one in problems} == {"warning"}
    assert [one.field for one in problems] == ["rubrics", "metadata.source"]
