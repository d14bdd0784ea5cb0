"""What is wrong with turns is named by file, row and field, with what to do; they survive files."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import mabench
from mabench.data import export_hub_layout, export_questions
from mabench.data.turns import Message
from mabench.errors import DataError, UsageError
from mabench.loading import validate
from mabench.text.times import read_time
from tests.command_line import mabench as command
from tests.published_files import locomo, longmemeval, written
from tests.talks import SOURCE, talk, talks, turns

OWN = f'[{SOURCE}]\nfamily = "answer"\n'


def fields() -> dict[str, Any]:
    """Return the content of a row that uses all that a conversation can have."""
    dates = {"question_dates": ["2024-05-09T10:00Z", "2024-05-10T10:00+02:00"]}
    points, users = ["t1", "2024-05-03"], ["house-7", None]
    pairs = [("Which code?", "M902"), ("Which colour?", "blue")]
    row = talk(turns(), pairs, metadata=dates, asked_after=points, asked_by=users)
    return row.model_dump(exclude={"index"})


def files(folder: Path, rows: list[dict[str, Any]], sources: str = OWN) -> Path:
    (folder / "sources.toml").write_text(sources, encoding="utf-8")
    (folder / "rows.jsonl").write_text("\n".join(map(json.dumps, rows)) + "\n", encoding="utf-8")
    return folder / "rows.jsonl"


Change = Callable[[dict[str, Any]], object]
FAULTS: dict[str, tuple[Change, str, str]] = {
    "a naive time": (
        lambda row: row["turns"][1].update(time="2024-05-02T10:00"),
        "turns[1].time: found '2024-05-02T10:00'",
        "a time with its zone, such as 2024-05-03T10:00+00:00",
    ),
    "no time": (
        lambda row: row["turns"][1].update(time="yesterday"),
        "turns[1].time: found 'yesterday'",
        "a time with its zone",
    ),
    "a time of another type": (
        lambda row: row["turns"][1].update(time=3),
        "turns[1].time: found 3",
        "a string",
    ),
    "times out of order": (
        lambda row: row["turns"][2].update(time="2024-05-01T09:00Z"),
        "turns[2].time: found '2024-05-01T09:00Z'",
        "no time before that of turns[1]: list turns in the order of their times",
    ),
    "turns out of order": (
        lambda row: row["turns"].reverse(),
        "turns[1].start: found a list of 2",
        "list turns in the order in which they occur there",
    ),
    "a turn beyond the context": (
        lambda row: row["turns"][3].update(end=9999),
        "turns[3].start: found",
        "characters",
    ),
    "a naive date of a question": (
        lambda row: row["metadata"].update(question_dates=["2024-05-09T10:00", "2024/05/09"]),
        "metadata.question_dates[0]: found '2024-05-09T10:00'",
        "a time with its zone",
    ),
    "an unknown user": (
        lambda row: row.update(asked_by=[None, "house-8"]),
        "asked_by[1]: found 'house-8'",
        "one of house-7, or null",
    ),
    "an unknown turn": (
        lambda row: row.update(asked_after=["t9", None]),
        "asked_after[0]: found 't9'",
        "the id of one of the row's `turns`, or",
    ),
    "a naive point": (
        lambda row: row.update(asked_after=[None, "2024-05-03T10:00"]),
        "asked_after[1]: found '2024-05-03T10:00'",
        "a day or a time with its zone",
    ),
    "a point in time of turns without times": (
        lambda row: [turn.pop("time") for turn in row["turns"]],
        "asked_after[1]: found '2024-05-03'",
        "where these have times",
    ),
    "a point without turns": (
        lambda row: row.pop("turns"),
        "asked_after[0]: found 't1'",
        "the id of one of the row's `turns`",
    ),
    "a point too few": (
        lambda row: row.update(asked_after=["t1"]),
        "asked_after: found 1 item",
        "2, one for each of the questions",
    ),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_names_file_row_field_and_remedy_and_nothing_runs(
    tmp_path: Path, fault: str
) -> None:
    change, found, expected = FAULTS[fault]
    good, bad = fields(), fields()
    bad["metadata"]["qa_pair_ids"] = ["b0", "b1"]
    change(bad)
    path = files(tmp_path, [good, bad])
    errors = [str(one) for one in validate(path) if one.severity == "error"]
    assert any(f"rows.jsonl, row 1, {found}" in one and expected in one for one in errors), errors
    assert not any("row 0" in one for one in errors)
    with pytest.raises(DataError, match=r"rows\.jsonl, row 1"):
        mabench.run("bm25", path, protocol="turns", out=tmp_path / "run")
    done = command("data", "validate", str(path), cwd=tmp_path)
    assert done.returncode == 1
    assert "Traceback" not in done.stdout + done.stderr


@pytest.mark.parametrize(
    ("kind", "points", "faulty"),
    [
        ("turn", ["t1", "t2"], []),
        ("turn", ["t1", "2024-05-03"], [1]),
        ("time", ["2024-05-02", "2024-05-03T10:00Z"], []),
        ("time", ["t1", None], [0, 1]),
        ("turn", None, [0, 1]),
    ],
)
def test_sources_may_ask_that_rows_say_up_to_where_questions_know(
    tmp_path: Path, kind: str, points: Any, faulty: list[int]
) -> None:
    path = files(tmp_path, [{**fields(), "asked_after": points}], f'{OWN}asked_after = "{kind}"\n')
    errors = [one for one in validate(path) if one.severity == "error"]
    assert [one.field for one in errors] == [f"asked_after[{i}]" for i in faulty]
    assert all("as sources.toml says" in one.expected for one in errors)
    source = mabench.load(path).sources[SOURCE]
    assert source.asked_after == kind
    with pytest.raises(UsageError, match="asked_after: found 'always'; expected turn or time"):
        mabench.load([fields()], sources={SOURCE: {"family": "answer", "asked_after": "always"}})


def test_turns_and_points_survive_every_form(tmp_path: Path) -> None:
    path = files(tmp_path, [fields()], f'{OWN}asked_after = "turn"\n'.replace('"turn"', '"time"'))
    first = mabench.load(path)
    export_hub_layout(first, tmp_path / "hub")
    again = mabench.load(tmp_path / "hub")
    assert [row.model_dump() for row in again.rows()] == [row.model_dump() for row in first.rows()]
    assert again.fingerprint == first.fingerprint
    assert again.sources[SOURCE] == first.sources[SOURCE]
    export_questions(first, tmp_path / "questions.jsonl")
    asked = [json.loads(line) for line in (tmp_path / "questions.jsonl").open(encoding="utf-8")]
    assert [one.get("asked_after") for one in asked] == ["t1", "2024-05-03"]
    assert [one.get("asked_by") for one in asked] == ["house-7", None]
    shown = command("data", "show", str(path), "--source", SOURCE, "--question", "0", cwd=tmp_path)
    assert "Asked after: t1" in shown.stdout
    cut = command("data", "chunks", str(path), "--protocol", "turns", cwd=tmp_path)
    assert cut.stdout.startswith(f"Own row 0 {SOURCE}: 4 turns, protocol turns")


def test_rows_without_these_fields_have_the_fingerprint_that_they_had() -> None:
    data = talks(talk([{"text": "One."}], [("Which?", "One")]))
    assert "asked" not in (row := next(data.rows())).canonical().decode()
    assert "time" not in row.canonical().decode()


def test_readers_of_other_benchmarks_say_what_they_know_of_turns(tmp_path: Path) -> None:
    (row, *_) = mabench.load(written(tmp_path / "locomo10.json", locomo())).rows()
    first = (Message.of_row(row) or [])[0]
    assert first.fields == {
        "time": read_time("2023-05-08T13:56Z"),
        "speaker": "Ugo",
        "session": "session_2",
    }
    (row, *_) = mabench.load(written(tmp_path / "longmemeval_s.json", longmemeval())).rows()
    first = (Message.of_row(row) or [])[0]
    assert first.fields == {
        "time": read_time("2023-04-01T10:00Z"),
        "role": "user",
        "session": "session_1",  # Published ids tell where the answers are.
    }
