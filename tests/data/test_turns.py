"""Turns, and contexts that are lists of them: what is wrong is named; they survive files."""

import json
from pathlib import Path
from typing import Any

import pytest

import mabench
from mabench.data import export_hub_layout, export_questions
from mabench.data.records import describe
from mabench.data.turns import Message
from mabench.errors import DataError, UsageError
from mabench.loading import validate
from tests.command_line import mabench as command
from tests.data.samples import DROP, corrupt
from tests.data.test_sources_file import folder_of
from tests.talks import SOURCE, talk, turns

_ANSWERS = {"family": "answer"}
OWN = f'[{SOURCE}]\nfamily = "answer"\n'


_CHAT: list[dict[str, Any]] = [
    {"text": "I moved to Oslo.", "time": "2024-03-01T09:00Z", "speaker": "Ann", "session": "a"},
    {"text": "Nice!", "time": "2024-03-01T09:00Z", "role": "assistant", "session": "a"},
    {"text": "Now I live in Rome.", "id": "last", "user": "ann", "speaker": None},
]


def chat(context: object, **more: object) -> mabench.data.Dataset:
    asked = {"questions": ["Where?"], "answers": [["Rome"]], "metadata": {"source": SOURCE}}
    return mabench.load([{"context": context, **asked, **more}], sources={SOURCE: _ANSWERS})


def fields() -> dict[str, Any]:
    """Return the content of a row that uses all that a conversation can have."""
    dates = {"question_dates": ["2024-05-09T10:00Z", "2024-05-10T10:00+02:00"]}
    points, users = ["t1", "2024-05-03"], ["house-7", None]
    pairs = [("Which code?", "M902"), ("Which colour?", "blue")]
    row = talk(turns(), pairs, metadata=dates, asked_after=points, asked_by=users)
    return row.model_dump(exclude={"index"})


_ZONED = "a time with its zone, such as 2024-05-03T10:00+00:00"
_TURN = "the id of one of the row's `turns`, or"
_ORDER = "list turns in the order in which they occur there"
_NO_TIMES = [{k: v for k, v in turn.items() if k != "time"} for turn in fields()["turns"]]


# What is put at a place of a row, or dropped there; where a fault is named, and what is expected.
@pytest.mark.parametrize(
    ("path", "value", "place", "expected"),
    [
        ("turns[1].time", "2024-05-02T10:00", None, _ZONED),
        ("turns[1].time", 3, None, "a string"),
        ("turns[2].time", "2024-05-01T09:00Z", None, "no time before that of turns[1]: list turns"),
        ("turns", fields()["turns"][::-1], "turns[1].start", _ORDER),
        ("turns[3].end", 9999, "turns[3].start", "characters"),
        ("metadata.question_dates[0]", "2024-05-09T10:00", None, _ZONED),
        ("asked_by[1]", "house-8", None, "one of house-7, or null"),
        ("asked_after[0]", "t9", None, _TURN),
        ("asked_after[1]", "2024-05-03T10:00", None, "a day or a time with its zone"),
        ("turns", _NO_TIMES, "asked_after[1]", "where these have times"),
        ("turns", DROP, "asked_after[0]", _TURN),
        ("asked_after[1]", DROP, "asked_after", "2, one for each of the questions"),
    ],
)
def test_a_fault_names_file_row_field_and_remedy_and_nothing_runs(
    tmp_path: Path, path: str, value: object, place: str | None, expected: str
) -> None:
    good, bad = fields(), fields()
    bad["metadata"]["qa_pair_ids"] = ["b0", "b1"]
    corrupt(bad, path, value)
    file = folder_of(tmp_path, OWN, [good, bad]) / "t.jsonl"
    errors = [one for one in validate(file) if one.severity == "error"]
    (error, *_) = [one for one in errors if one.field == (place or path)]
    assert str(error).startswith(f"{file}, row 1, {place or path}: found ")
    assert place or describe(value) in error.found
    assert expected in error.expected
    assert {one.row for one in errors} == {1}
    with pytest.raises(DataError, match=r"t\.jsonl, row 1"):
        mabench.run("bm25", file, protocol="turns", out=tmp_path / "run")


def test_sources_may_ask_that_rows_say_up_to_where_questions_know(tmp_path: Path) -> None:
    for kind, points, faulty in (
        ("turn", ["t1", "t2"], []),
        ("turn", ["t1", "2024-05-03"], [1]),
        ("time", ["2024-05-02", "2024-05-03T10:00Z"], []),
        ("time", ["t1", None], [0, 1]),
        ("turn", None, [0, 1]),
    ):
        row = {**fields(), "asked_after": points}
        path = folder_of(tmp_path, f'{OWN}asked_after = "{kind}"\n', [row])
        errors = [one for one in validate(path) if one.severity == "error"]
        assert [one.field for one in errors] == [f"asked_after[{i}]" for i in faulty]
        assert all("as sources.toml says" in one.expected for one in errors)
    with pytest.raises(UsageError, match="asked_after: found 'always'; expected turn or time"):
        mabench.load([fields()], sources={SOURCE: {**_ANSWERS, "asked_after": "always"}})


def test_turns_and_points_survive_every_form(tmp_path: Path) -> None:
    path = folder_of(tmp_path / "talks", f'{OWN}asked_after = "time"\n', [fields()])
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


def test_turns_become_text_and_keep_what_is_known_of_them() -> None:
    (row,) = chat(_CHAT, evidence=[["last"]]).rows()
    lines = "[2024-03-01T09:00Z]\nAnn: I moved to Oslo.\nassistant: Nice!\n\nNow I live in Rome.\n"
    assert row.context == lines
    assert [turn.id for turn in row.turns or ()] == ["1", "2", "last"]
    messages = Message.of_row(row) or []
    assert [message.text for message in messages] == [turn["text"] for turn in _CHAT]
    assert [message.speaker for message in messages] == ["Ann", None, None]
    assert [message.user for message in messages] == [None, None, "ann"]


def test_what_is_no_turn_is_named() -> None:
    wrong: dict[str, list[Any]] = {
        "context": [],
        r"context\[0\]": ["Hello.", {"text": "Hi."}],
        "a `text`": [{"speaker": "Ann"}],
        r"context\[0\].text": [{"text": 7}],
        r"context\[0\].date": [{"text": "Hi.", "date": "2024-03-01"}],
        r"turns\[0\].time": [{"text": "Hi.", "time": "2024-03-01T09:00"}],
    }
    for fault, context in wrong.items():
        with pytest.raises(DataError, match=fault):
            list(chat(context).rows())
