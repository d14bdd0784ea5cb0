"""Files of other benchmarks are read as rows, and their questions scored as they say."""

import json
import re
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from mabench import load
from mabench.data import Problem, Row
from mabench.data.formats import published_sources
from mabench.data.reading.files import read_files
from mabench.data.turns import Message
from mabench.data.writing.importing import import_published
from mabench.errors import DataError, UsageError
from mabench.families import FAMILIES, JudgingInput, Prompts, Rubric, family_of, score_answer
from mabench.injection import protocol_named
from mabench.loading import validate
from mabench.progress import NoProgress
from mabench_external.locomo import SOURCE
from tests.command_line import succeed
from tests.data.samples import DROP, corrupt, places
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
    chunks = protocol_named("structured").chunks(family_of(SOURCE), row.context, 50)
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
    family = family_of(SOURCE)
    assert family.rubric is not None
    assert family.needs is None
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
    assert len(FAMILIES["longmemeval"].units(row.context)) == 3
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
    assert len(family_of("beam_10m", published_sources()).units(other_row.context)) == 5


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
        # It takes nothing for one item that is no line, and gives some points for that.
        ("event_ordering", ['{"order": []}'], 0, (1 - 2 / 6**0.5) / 2),
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
    assert rubric().published(verdict) == pytest.approx(published)  # type: ignore[misc]


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


BENCHMARKS = ("locomo", "longmemeval", "beam")
_CHAT = "chats/100K/2/chat.json"
_QUESTIONS = "chats/100K/2/probing_questions/probing_questions.json"


def published(benchmark: str, folder: Path) -> Path:
    if benchmark == "beam":
        return beam(folder / "BEAM")
    content = locomo() if benchmark == "locomo" else longmemeval()
    return written(folder / f"{benchmark}.json", content)


@pytest.mark.parametrize("benchmark", BENCHMARKS)
def test_imported_rows_and_sources_are_those_of_the_file(benchmark: str, tmp_path: Path) -> None:
    file = published(benchmark, tmp_path)
    told = import_published(benchmark, file, tmp_path / "rows")
    ours, theirs = load(tmp_path / "rows"), load(file)
    assert (ours.outline, ours.fingerprint) == (theirs.outline, theirs.fingerprint)
    assert [(one.source, one.row, one.questions) for one in told] == [
        (row.source, row.row, row.questions) for row in theirs.outline
    ]
    assert {one.severity for one in validate(tmp_path / "rows")} <= {"warning"}
    assert {name: ours.sources[name] for name in theirs.sources} == theirs.sources


def test_the_command_counts_what_is_left_out_of_each_row_and_says_why(tmp_path: Path) -> None:
    published("locomo", tmp_path)
    done = succeed("data", "import", "locomo", "locomo.json", "--out", "rows", cwd=tmp_path)
    lines = done.stdout.splitlines()
    assert lines[0] == "locomo row 0: 6 questions, 4 turns"
    assert lines[-1] == "locomo row 1: 1 question, 1 turn"
    assert "  2 adversarial_answer, left out; kept: the right answers; these are baits" in lines
    assert any(line.startswith("  qa[4].evidence[0]: found 'D9:9'; expected") for line in lines)


def test_fields_of_one_reason_are_counted_together_where_they_are_many(tmp_path: Path) -> None:
    folder = beam(tmp_path)
    path = folder / _QUESTIONS
    content = json.loads(path.read_text("utf-8"))
    content["abstention"][0] |= {f"note_{number}": "x" for number in range(20)}
    path.write_text(json.dumps(content), encoding="utf-8")
    (folder / "chats" / "100K" / "old").mkdir()
    first = import_published("beam", folder, tmp_path / "rows")[0]
    found = [problem.found for problem in first.problems if problem.field is None]
    assert "no chat, left out" in found
    assert first.problems[1].field == "event_ordering[0].source_chat_ids"
    assert "2 markers of the plan, 4 index, left out" in found
    assert any(text.startswith("21 fields of 21 names (difficulty, note_0,") for text in found)


@pytest.mark.parametrize("benchmark", BENCHMARKS)
def test_what_is_there_is_left_alone_and_an_interrupted_import_leaves_nothing(
    benchmark: str, tmp_path: Path
) -> None:
    class Interrupted(NoProgress):
        def advance(self, work: str, note: str = "") -> None:
            raise KeyboardInterrupt

    file = published(benchmark, tmp_path)
    before = sorted(tmp_path.iterdir())
    with pytest.raises(KeyboardInterrupt):
        import_published(benchmark, file, tmp_path / "rows", Interrupted())
    assert sorted(tmp_path.iterdir()) == before
    out = tmp_path / "rows"
    out.mkdir()
    (out / "mine.txt").write_text("mine", encoding="utf-8")
    with pytest.raises(UsageError, match="rows is not an empty folder; choose a new one"):
        import_published(benchmark, file, out)
    assert [one.name for one in out.iterdir()] == ["mine.txt"]


_FILES: dict[str, tuple[Callable[[str], str], str]] = {
    "nothing": (lambda text: "", ": found an empty file; expected rows"),
    "no rows": (lambda text: "[]", ": found no rows; expected at least one"),
    "one object": (lambda text: text[1:-1], ": found one object; expected a list of"),
    "no objects": (lambda text: "[null]", ", row 0: found null; expected an object"),
}


@pytest.mark.parametrize("benchmark", ["locomo", "longmemeval"])
@pytest.mark.parametrize("case", _FILES)
def test_a_file_that_is_no_list_of_objects_is_named(
    benchmark: str, case: str, tmp_path: Path
) -> None:
    change, expected = _FILES[case]
    file = published(benchmark, tmp_path)
    file.write_text(change(file.read_text("utf-8")), encoding="utf-8")
    refused(benchmark, file, expected)


# Fields that may be anything, and others that need not be there.
_FREE = (
    "event_summary speaker_a speaker_b session_11_date_time img_url adversarial_answer "
    "batch_number index time_anchor difficulty source_chat_ids first second"
)
_OPTIONAL = (
    "session_1 session_2 session_10 session_2_date_time session_10_date_time blip_caption answer "
    "has_answer information_extraction event_ordering abstention ideal_response"
)


def edit(file: Path, place: str, value: object) -> None:
    """Put a value at a place of a chat, or of the first object of another file, or drop it."""
    content = json.loads(file.read_text("utf-8"))
    corrupt(content if "chats" in file.parts else content[0], place, value)
    written(file, content)


@pytest.mark.parametrize("name", ["locomo.json", "longmemeval.json", _CHAT, _QUESTIONS])
def test_each_field_of_another_type_or_none_at_all_is_named(name: str, tmp_path: Path) -> None:
    benchmark = "beam" if "/" in name else name.removesuffix(".json")
    data = published(benchmark, tmp_path)
    file = data / name if data.is_dir() else data
    whole = json.loads(file.read_text("utf-8"))
    for place in places(whole if data.is_dir() else whole[0]):
        last = ["", *re.findall(r"[a-z]\w+", place)][-1]
        optional = last in _OPTIONAL.split() or place.endswith("]")
        # No field is a truth value but one.
        for value in (0.5 if last == "has_answer" else True, *([] if optional else [DROP])):
            edit(file, place, value)
            found = read_files(data, None if data.is_dir() else benchmark)
            named = any(isinstance(one, Problem) and one.field == place for one in found)
            assert named or last in _FREE.split(), (place, value)
            written(file, whole)


_EMPTY = "found a history in which nothing is said; expected at least"


@pytest.mark.parametrize(
    ("benchmark", "name", "place", "value", "expected"),
    [
        ("locomo", "", "qa", [], "questions: found an empty list; expected at least one"),
        ("locomo", "", "conversation", {}, _EMPTY),
        ("locomo", "", "qa[0].question", " ", "found ' '; expected text that is not blank"),
        ("locomo", "", "qa[0].question", "\ud83d", "question: found '\\ud83d'; expected text with"),
        ("locomo", "", "qa[0].answer", ["5"], "found a list of 1; expected a string or a number"),
        ("locomo", "", "qa[0].answer", None, "qa[0].answer: found null; expected a string"),
        ("locomo", "", "qa[1].category", 6, "found 6 (int); expected one of 1, 2, 3, 4, 5"),
        ("longmemeval", "", "haystack_dates", ["2023/05/20"], "found 1 item; expected 2, one for"),
        ("longmemeval", "", "haystack_sessions[0][0].has_answer", "no", "expected true or false"),
        ("longmemeval", "", "haystack_sessions", [[], []], _EMPTY),
        ("beam", _CHAT, "[0].turns", [], _EMPTY),
        ("beam", _CHAT, "[0].turns[0][0].id", "0", "expected a whole number; copy or download"),
        ("beam", _QUESTIONS, "abstention[0].rubric", [], "rubric: found an empty list"),
        ("beam", _QUESTIONS, "abstention[0].ideal_response", DROP, "found no ideal answer"),
    ],
)
def test_a_wrong_field_is_named_with_its_file_and_place(
    benchmark: str, name: str, place: str, value: object, expected: str, tmp_path: Path
) -> None:
    data = published(benchmark, tmp_path)
    edit(data / name, place, value)
    refused(benchmark, data, expected, data / name)
    with pytest.raises(DataError, match=re.escape(f"{data / name}, row 0")) as error:
        list(load(data).rows())
    assert expected in str(error.value)


def test_a_numbered_folder_without_its_chat_is_not_passed_over(tmp_path: Path) -> None:
    folder = beam(tmp_path / "BEAM")
    (folder / "chats/100K/5").mkdir()
    refused("beam", folder, ": found No such file", folder / "chats/100K/5/chat.json")


def refused(benchmark: str, path: Path, expected: str, file: Path | None = None) -> None:
    """Hold that a path is refused with a place in a file, and that nothing is written."""
    with pytest.raises(DataError) as error:
        import_published(benchmark, path, path.parent / "rows")
    assert str(file or path) in str(error.value)
    assert expected in str(error.value)
    assert [one for one in path.parent.iterdir() if one.name.startswith((".rows", "rows"))] == []


def test_what_is_nothing_of_the_benchmark_is_refused(tmp_path: Path) -> None:
    talks, folder = published("locomo", tmp_path), published("beam", tmp_path)
    out = tmp_path / "rows"
    for benchmark, path, message in (
        ("longmemeval", talks, "found an object of locomo; expected one of longmemeval"),
        ("locomo", folder, "is not data of locomo; give the file locomo10.json"),
        ("beam", talks, "is not data of beam; give the folder chats"),
        (
            "longmemeval",
            tmp_path / "none.json",
            "no such file or folder: .*; give a file such as l",
        ),
    ):
        with pytest.raises(DataError, match=message):
            import_published(benchmark, path, out)
    with pytest.raises(UsageError, match="no benchmark named 'beams': did you mean beam"):
        import_published("beams", folder, out)
    assert not out.exists()


def _moved(file: Path, dates: list[object], *, asked: object = "2023/12/30 (Sat) 21:56") -> Path:
    """Write a question over sessions about towns, a session for each date."""
    talk = [[{"role": "user", "content": f"Town {n}."}] for n in range(len(dates))]
    question = {"question_id": "q", "question": "Where?", "answer": "Bree", "question_date": asked}
    ids = [f"s{n}" for n in range(len(dates))]
    question |= {"question_type": "knowledge-update", "answer_session_ids": ["s0"]}
    question |= {"haystack_dates": dates, "haystack_session_ids": ids, "haystack_sessions": talk}
    return written(file, [question])


@pytest.mark.parametrize(
    "dates",
    [
        ["2023/10/2 (Mon) 3:21", "2023/9/20 (Wed) 2:21", "2023/9/30 (Sat) 10:00"],
        ["13/6/2023 1:00 PM", "5/6/2023 9:00", "12/6/2023 10:00"],
        ["Oct 2, 2023", "2023-09-20T02:21:00+02:00", "30 September 2023"],
        [1696215660, 1695169260, "1696068000"],
    ],
)
def test_sessions_are_told_in_the_order_of_their_times(tmp_path: Path, dates: list[object]) -> None:
    file = _moved(tmp_path / "longmemeval_s.json", dates)
    assert [problem for problem in validate(str(file)) if problem.severity == "error"] == []
    [row] = load(file).rows()
    assert re.findall(r"Town \d", row.context) == ["Town 1", "Town 2", "Town 0"]
    assert all(turn.time for turn in row.turns or ())


def test_a_date_that_cannot_be_read_is_named_and_the_order_kept(tmp_path: Path) -> None:
    dates: list[object] = ["2023/10/2 (Mon) 3:21", "a Tuesday", "2023/9/30 (Sat) 10:00"]
    file = _moved(tmp_path / "longmemeval_s.json", dates, asked="later")
    found = {(problem.field, problem.found, problem.severity) for problem in validate(str(file))}
    assert ("haystack_dates[1]", "'a Tuesday'", "warning") in found
    assert ("question_date", "'later'", "warning") in found
    [row] = load(file).rows()
    assert re.findall(r"Town \d", row.context) == ["Town 0", "Town 1", "Town 2"]
    assert not any(turn.time for turn in row.turns or ())


def test_a_question_date_without_a_zone_is_in_utc(tmp_path: Path) -> None:
    file = _moved(tmp_path / "longmemeval_s.json", ["2023-09-20 02:21"], asked="2023-12-30 21:56")
    assert [problem for problem in validate(str(file)) if problem.severity == "error"] == []
    [row] = load(file).rows()
    assert row.metadata["question_dates"] == ["2023-12-30T21:56:00+00:00"]
    assert "Current Date: 2023-12-30 21:56" in row.questions[0]


@pytest.mark.parametrize("role", ["user", "assistant"])
@pytest.mark.parametrize(
    "end", ["->-> 1,5", "->-> 1,5)", "->->  3,8", "->-> 7,(no bullet, but on plans)", "->->"]
)
def test_nothing_of_the_plan_of_a_chat_is_told(tmp_path: Path, role: str, end: str) -> None:
    folder = beam(tmp_path)
    file = next(folder.rglob("chat.json"))
    chat = json.loads(file.read_text("utf-8"))
    message = next(m for m in chat[0]["turns"][0] if m["role"] == role)
    message["content"] = f"What shall I do? {end}"
    file.write_text(json.dumps(chat), encoding="utf-8")
    rows = [*load(folder).rows()]
    assert any(f"{role}: What shall I do?\n" in row.context for row in rows)
    assert not any("->->" in row.context or "bullet" in row.context for row in rows)
