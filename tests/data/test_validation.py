import json
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mabench.data import Problem, Source, open_dataset
from mabench.data.arrow import hub_schema
from mabench.data.inventory import SOURCES
from mabench.errors import DataError
from mabench.loading import validate
from tests.data.samples import (
    AR,
    CR,
    DROP,
    ENTITIES,
    LRU,
    TTL,
    Rows,
    corrupt,
    make_row,
    places,
    valid_rows,
    write_hub,
    write_json,
    write_jsonl,
)


def beyond_counts(problems: list[Problem]) -> list[Problem]:
    """The problems that do not tell that rows of the public data set are missing."""
    return [p for p in problems if p.row is not None or p.severity == "error"]


def errors(path: Path, complete: bool = False) -> list[Problem]:
    return [p for p in validate(path, complete=complete) if p.severity == "error"]


@pytest.mark.parametrize("write", [write_hub, write_json, write_jsonl])
def test_valid_rows_have_no_problem_but_their_counts(
    tmp_path: Path, write: Callable[[Path, Rows], Path]
) -> None:
    path = write(tmp_path, valid_rows())
    problems = validate(path)
    assert beyond_counts(problems) == []
    assert {(p.severity, p.field) for p in problems} == {("warning", "metadata.source")}
    # Their counts are errors where the data should be complete.
    found = errors(path, complete=True)
    assert len(found) == len(SOURCES)
    assert "1 row with 2 questions of ruler_qa1_197K" in found[0].found
    assert found[0].expected == "1 row with 100 questions"


def test_every_value_of_another_type_or_null_is_named() -> None:
    whole = valid_rows()
    for split, own in whole.items():
        for number, field in ((n, place) for n, row in enumerate(own) for place in places(row)):
            optional = re.search(r"^metadata\.(?!source)\w+$|has_answer$", field)
            for value in (7.5,) if optional else (7.5, None):
                rows = valid_rows()
                corrupt(rows[split][number], field, value)
                first = next(one for one in validate(rows) if one.severity == "error")
                assert (first.file, first.row, first.field) == (f"dict[{split}]", number, field)
                assert first.expected in ("a string", "a list", "an object", "true or false")


_IDS, _SESSIONS = "metadata.qa_pair_ids", "metadata.haystack_sessions"
_TYPES, _DATES = "metadata.question_types", "metadata.question_dates"


# What is put at a place of a valid row, or dropped there, and a part of what is expected instead.
@pytest.mark.parametrize(
    ("severity", "split", "number", "path", "value", "expected"),
    [
        ("error", AR, 1, "metadata.previous_events[1]", DROP, "2, one for each"),
        *(
            ("error", AR, 2, f"{field}[1]", DROP, "2, one for each")
            for field in ("answers", _IDS, _DATES, _TYPES, "metadata.question_ids")
        ),
        ("error", CR, 1, "context", " \n", "not blank"),
        ("error", CR, 1, "questions[0]", " ", "not blank"),
        ("error", CR, 1, "questions", [], "at least one question"),
        ("error", CR, 1, "answers[1]", [], "one candidate"),
        ("error", CR, 1, "answers[1][0]", "", "not blank"),
        ("error", CR, 1, "metadata.source", "factconsolidation_sh_8k", "factconsolidation_sh_6k"),
        ("error", CR, 1, _IDS, DROP, "one id for each"),
        ("error", AR, 1, f"{_IDS}[1]", "eventqa_full_no0", "a unique id"),
        ("error", AR, 2, "metadata.question_ids[1]", "a4996e51", "a unique id"),
        ("error", AR, 2, f"{_TYPES}[1]", "riddle", "temporal-reasoning"),
        ("error", TTL, 0, "answers[1][0]", "Alien", "in digits"),
        ("error", TTL, 0, "answers[1][0]", "105", "entity2id.json knows"),
        ("error", AR, 0, "metadata.source", DROP, "this field"),
        ("error", AR, 2, f"{_SESSIONS}[0][1][0].content", DROP, "this field"),
        ("error", CR, 0, "context", ["a"], "a string"),
        ("error", CR, 1, "metadata.source", "ruler_qa2_421K", CR),
        ("error", LRU, 2, f"{_IDS}[0]", "detective_qa_book1_no0", "row 1 does not have"),
        ("warning", AR, 2, f"{_DATES}[1]", "27 May 2023", "22:54"),
        ("warning", AR, 2, f"{_DATES}[0]", "2023/05/27 (Sun) 22:54", "22:54"),
        *(
            ("warning", AR, 2, field, DROP, "longmemeval")
            for field in (_SESSIONS, _DATES, _TYPES, "metadata.question_ids")
        ),
        ("warning", LRU, 0, "metadata.keypoints", DROP, "infbench"),
        ("warning", AR, 1, "answers[1][0]", "Cid left.", "2 options"),
        ("warning", AR, 1, "questions[0]", "What next?", "lists options"),
        ("warning", LRU, 1, "answers[0][0]", "A. The Brandts", "2 options"),
        ("warning", CR, 0, "answers[1]", ["Atlantis"], "taken from there"),
        ("warning", AR, 0, "answers[0]", ["The!"], "more than articles"),
        ("warning", TTL, 1, "metadata.comment", "a", "only source"),
        ("warning", AR, 2, f"{_SESSIONS}[0][1][0].time", "a", "only content"),
    ],
)
def test_what_is_wrong_in_a_row_is_named_with_its_place(
    severity: str, split: str, number: int, path: str, value: object, expected: str
) -> None:
    rows = valid_rows()
    field = corrupt(rows[split][number], path, value)
    problems = beyond_counts(validate(replace(open_dataset(rows), entity_ids=ENTITIES)))
    named = [p for p in problems if (p.severity, p.field) == (severity, field)]
    assert named, [str(problem) for problem in problems]
    assert expected in named[0].expected
    assert {(p.file, p.row) for p in problems} == {(f"dict[{split}]", number)}
    assert str(named[0]).startswith(f"dict[{split}], row {number}, {field}: found ")
    assert "\n" not in str(named[0])


def test_every_problem_of_every_row_is_named_and_an_unknown_field_once(tmp_path: Path) -> None:
    rows = valid_rows()
    rows[AR][0]["context"] = None
    rows[AR][0]["answers"][1][0] = " "
    rows[CR][1]["questions"][0] = ""
    rows[CR][1]["metadata"]["source"] = "nobody"
    fields = [p.field for p in beyond_counts(validate(write_json(tmp_path, rows)))]
    assert fields == ["context", "answers[1][0]", "questions[0]", "metadata.source"]
    rows = valid_rows()
    for row in rows[AR]:
        row["comment"] = "a"
    rows[CR][1] = 3  # type: ignore[call-overload]
    problems = beyond_counts(validate(write_json(tmp_path, rows)))
    assert [p.field for p in problems] == ["comment", None]
    assert "an object with context, questions, answers, metadata" in problems[1].expected
    rows = valid_rows()
    rows[LRU].append(rows[LRU][1])
    (problem,) = beyond_counts(validate(write_hub(tmp_path / "hub", rows)))
    assert (problem.severity, problem.row) == ("error", 3)
    assert problem.file == str(tmp_path / "hub" / "data" / f"{LRU}-00000-of-00001.parquet")
    assert f"the same row as {problem.file}, row 1" in problem.found
    rows = valid_rows()  # Ids that restart are right for EventQA alone.
    rows[AR] += [{**row, "context": "Another history."} for row in rows[AR][1:3]]
    problems = beyond_counts(validate(write_json(tmp_path, rows)))
    assert {(p.severity, p.row) for p in problems} == {("warning", 4)}


def test_quoted_evidence_stands_in_the_context(tmp_path: Path) -> None:
    rows = valid_rows()
    facts = rows["Conflict_Resolution"][1]
    facts["evidence"] = [[facts["context"][:9]], ["Nobody said so.", " "]]
    found = errors(write_json(tmp_path / "in", rows))
    assert [(one.field, one.expected) for one in found] == [
        (f"evidence[1][{n}]", "text that occurs in the context, word for word") for n in range(2)
    ]
    facts["evidence"].pop()
    (problem,) = errors(write_json(tmp_path / "short", rows))
    assert (problem.field, problem.found) == ("evidence", "1 item")


@pytest.mark.parametrize(
    ("change", "fields"),
    [
        ({}, ["asked_after[1]", "evidence[1][0]"]),
        ({"context": [{"text": "I am Bo."}] * 2 + [{"text": "No.", "id": "1"}]}, ["context[2].id"]),
        ({"context": "Bo", "turns": [{"id": ["b"]}]}, ["turns[0].id"]),
        ({"asked_after": [["b"], {"id": "b"}]}, ["asked_after[0]", "asked_after[1]"]),
    ],
)
def test_turns_have_ids_of_their_own_which_evidence_and_points_name(
    tmp_path: Path, change: dict[str, object], fields: list[str]
) -> None:
    said = [{"text": "I am Bo."}, {"text": "So am I.", "id": "b"}]
    row = {**make_row("own", [("Q?", "Bo")] * 2), "context": said, "asked_after": ["b", "2"]}
    path = write_jsonl(tmp_path, {AR: [row | {"evidence": [["b", "1"], ["2"]]} | change]})
    (tmp_path / "sources.toml").write_text('[own]\nfamily = "answer"\nasked_after = "turn"')
    assert {*fields} <= {one.field for one in beyond_counts(validate(path))}


_DAMAGES: dict[str, Callable[[bytes], bytes]] = {
    "cut": lambda content: content[: len(content) // 2],
    "empty": lambda _: b"",
    "blank": lambda _: b" \n\n",
    "binary": lambda _: bytes(range(256)) * 40,
    "text": lambda _: b"PAR1 is no Parquet by itself, and no JSON either. PAR1",
    "latin1": lambda _: '[{"context": "café"}]'.encode("latin-1"),
    "utf16": lambda _: '[{"context": "café"}]'.encode("utf-16"),
    "nested": lambda _: b"[" * 100_000,
    "number": lambda _: b"3",
    "no rows": lambda _: b"[]",
    "no fields": lambda _: b"{}",
    "empty split": lambda _: b'{"Conflict_Resolution": []}',
    "damaged": lambda content: content[:4] + bytes(396) + content[400:],
}


@pytest.mark.parametrize(
    ("write", "name"),
    [(write_hub, f"{CR}.parquet"), (write_json, "rows.json"), (write_jsonl, "rows.jsonl")],
)
@pytest.mark.parametrize("damage", _DAMAGES)
def test_a_file_that_cannot_be_read_is_one_line(
    tmp_path: Path, write: Callable[[Path, Rows], Path], name: str, damage: str
) -> None:
    write(tmp_path / "whole", valid_rows())
    (whole,) = (tmp_path / "whole").rglob(f"{name[:4]}*{Path(name).suffix}")
    path = tmp_path / name
    path.write_bytes(_DAMAGES[damage](whole.read_bytes()))
    found = errors(path)
    assert found
    assert all(p.file == str(path) or p.file == path.stem for p in found)
    assert all(p.expected and "\n" not in str(p) for p in found)
    if damage not in ("blank", "no rows", "empty split"):
        with pytest.raises(DataError, match=rf"^.*{name}.*expected.*$") as error:
            list(open_dataset(path).rows())
        assert "\n" not in str(error.value)


@given(st.binary(max_size=300), st.sampled_from([".parquet", ".json", ".jsonl"]))
def test_no_bytes_raise(tmp_path_factory: pytest.TempPathFactory, data: bytes, end: str) -> None:
    path = tmp_path_factory.mktemp("bytes") / f"rows{end}"
    path.write_bytes(data)
    assert errors(path)


def test_rows_around_what_is_broken_are_validated(tmp_path: Path) -> None:
    table = pa.Table.from_pylist(valid_rows()[CR], schema=hub_schema())
    raw = pa.array([b"caf\xe9", b"The history."], pa.binary()).view(pa.string())
    index = table.schema.get_field_index("context")
    pq.write_table(table.set_column(index, "context", raw), tmp_path / f"{CR}.parquet")
    (problem,) = errors(tmp_path / f"{CR}.parquet")
    assert (problem.row, problem.field) == (0, "context")
    path = write_jsonl(tmp_path, valid_rows())
    lines = path.read_text(encoding="utf-8").split("\n\n")
    lines[1] = lines[1][:50]
    lines[3] = lines[3].replace("101", "x")
    path.write_text("\n\n".join(lines), encoding="utf-8")
    broken, wrong = errors(path)
    assert (broken.row, wrong.row, wrong.field) == (1, 3, "answers[0][0]")
    assert "line 3" in broken.found
    path.write_text(json.dumps(valid_rows()[CR], indent=1), encoding="utf-8")
    (spread,) = errors(path)
    assert spread.found == "JSON over several lines"
    rows = valid_rows()
    rows["Accurate_Retrieval"][0]["context"] = ""
    path = write_json(tmp_path, rows)
    path.write_bytes(_DAMAGES["cut"](path.read_bytes()))
    wrong, broken = errors(path)
    assert wrong.field == "context"
    assert (broken.row, broken.field) == (None, None)


def test_splits_and_columns_that_are_missing_or_unknown_are_named(tmp_path: Path) -> None:
    path = write_hub(tmp_path / "hub", valid_rows())
    file = path / "data" / f"{CR}-00000-of-00001.parquet"
    train = file.rename(path / "data" / "train-00000-of-00001.parquet")
    (problem,) = [p for p in validate(path) if "split" in p.found]
    assert (problem.severity, problem.file) == ("warning", str(train))
    assert {row.split for row in open_dataset(path).rows()} == set(valid_rows())
    train.rename(file)
    table = pq.read_table(file).drop_columns(["answers"])
    pq.write_table(table.append_column("notes", pa.array(["a", "b"])), file)
    named = {(p.severity, p.field) for p in validate(path) if p.file == str(file)}
    assert named == {("error", "answers"), ("warning", "notes")}
    with pytest.raises(DataError, match="answers: found no such column"):
        list(open_dataset(path).rows())
    schema = hub_schema()
    place = schema.get_field_index("questions")
    schema = schema.set(place, pa.field("questions", pa.string()))
    rows = {CR: [{**row, "questions": "Who?"} for row in valid_rows()[CR]]}
    found = errors(write_hub(tmp_path / "other", rows, schema))
    assert [(p.row, p.field, p.expected) for p in found] == [
        (row, "questions", "a list") for row in (0, 1)
    ]


def test_malformed_entities_are_named(tmp_path: Path) -> None:
    path = write_hub(tmp_path / "hub", valid_rows())
    wrong = {f'{{"a": {value}, "b": 1}}': "a" for value in ("true", "-1", "null", '"2"')}
    for content, field in {"[1]": None, '{"a": 1': None, **wrong}.items():
        (path / "entity2id.json").write_text(content)
        named = [(p.file, p.field) for p in errors(path) if p.row is None]
        assert named == [(str(path / "entity2id.json"), field)]


def test_a_data_set_as_large_as_the_inventory_says_is_complete(tmp_path: Path) -> None:
    pair = ("Q\nA. 1\nB. 2\n['1', '2']", "1")
    complete = [
        make_row(source.name, [pair] * _questions(source, row), tag=f"_row{row}")
        for source in SOURCES
        for row in range(source.rows)
    ]
    path = tmp_path / "all.json"
    path.write_text(json.dumps(complete))
    assert errors(path, complete=True) == []
    complete[0], complete[1] = complete[1], complete[0]
    path.write_text(json.dumps(complete))
    (problem,) = errors(path, complete=True)
    assert (problem.row, problem.field) == (1, "metadata.source")
    assert "on the hub" in problem.expected


def _questions(source: Source, row: int) -> int:
    """The same number of questions in each row, with the rest in the first."""
    each, rest = divmod(source.questions, source.rows)
    return each if row else each + rest


def test_real_rows_have_no_errors(real_data: Path) -> None:
    problems = validate(real_data / "mab-dev")
    assert {(p.severity, p.row) for p in problems} == {("warning", None)}
    assert all(re.match(r"\d+ rows? with ", p.found) for p in problems)
