import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from mabench import load
from mabench.data import Problem
from mabench.data.export import import_published
from mabench.data.opening import read_files
from mabench.errors import DataError, UsageError
from mabench.loading import validate
from mabench.progress import NoProgress
from tests.command_line import succeed
from tests.data.samples import DROP, corrupt, places
from tests.published_files import beam, locomo, longmemeval, written

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
    assert "2 markers of user texts, 4 index, left out" in found
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
        ("locomo", "", "qa[1].category", 6, "found 6 (int); expected a category from 1 to 5"),
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
