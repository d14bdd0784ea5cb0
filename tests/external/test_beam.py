from pathlib import Path

import pytest

from mabench import load
from mabench.data import Row
from mabench.data.inventory import published_sources
from mabench.errors import DataError
from mabench.families import JudgingInput, Prompts, Rubric, family_of
from mabench.loading import validate
from tests.published_files import beam

_LOST = Path("probing_questions", "probing_questions.json")


@pytest.fixture
def rows(tmp_path: Path) -> list[Row]:
    return list(load(beam(tmp_path)).rows())


def rubric() -> Rubric:
    rubric = family_of("beam_10m", published_sources()).rubric
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


def test_each_chat_is_a_row_with_abilities_rubrics_and_evidence(rows: list[Row]) -> None:
    row, abilities = rows[0], ["information_extraction", "event_ordering", "abstention"]
    assert row.metadata.get("question_types") == abilities
    assert row.rubrics == [
        *(["says 40 crowns", "says a week"], ["the boat", "the berth"], ["says so"])
    ]
    assert row.evidence == [["2", "3"], ["0", "2", "99"], []]
    assert row.answers == [["40"], ["The boat, then the berth"], ["Unknown"]]
    assert row.metadata.get("qa_pair_ids") == [f"beam_100k_2_{ability}_0" for ability in abilities]
    assert "->->" not in row.context
    assert "[March-15-2024] user: I want to paint my boat green.\n" in row.context
    *_, one, other = [(turn.id, turn.session) for turn in rows[1].turns or []]
    assert (one, other) == (("3", "plan-1 batch 1"), ("4", "plan-2 batch 1"))
    assert len(family_of("beam_10m", published_sources()).units(rows[1].context)) == 5


def test_validation_counts_what_is_left_out(tmp_path: Path) -> None:
    problems = validate(beam(tmp_path) / "chats" / "100K")
    assert {problem.severity for problem in problems} == {"warning"}
    assert problems[0].field == "event_ordering[0].source_chat_ids"
    *_, left_out, few = problems
    assert "1 difficulty" in left_out.found
    assert few.found.endswith("of beam_100k")  # Too few histories for new ones.


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
