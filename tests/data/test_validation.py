import json
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mabench.data import Dataset, Problem, Source, open_dataset
from mabench.data.inventory import SOURCES
from mabench.data.readers.files import hub_schema
from mabench.errors import DataError, MabenchError
from mabench.loading import load, validate
from tests.data.corruptions import AR, CASES, CR, EVERY_FORMAT, LRU, TTL, Corruption
from tests.data.samples import Rows, make_row, valid_rows, write_hub, write_json, write_jsonl
from tests.published_files import place_of, places


def written(folder: Path, rows: Rows, format_: str, split: str, row: int) -> tuple[Path, str, int]:
    """Write ``rows``; return what to open, and the file and row of a row of ``split``."""
    if format_ == "parquet":
        path = write_hub(folder, rows)
        return path, str(path / "data" / f"{split}-00000-of-00001.parquet"), row
    if format_ == "json":
        path = write_json(folder, rows)
        return path, f"{path}[{split}]", row
    path = write_jsonl(folder, rows)
    splits = list(rows)
    before = sum(len(rows[name]) for name in splits[: splits.index(split)])
    return path, str(path), before + row


def beyond_counts(problems: list[Problem]) -> list[Problem]:
    """The problems that do not tell that rows of the public data set are missing."""
    return [p for p in problems if p.row is not None or p.severity == "error"]


@pytest.mark.parametrize("format_", EVERY_FORMAT)
def test_valid_rows_have_no_problem_but_their_counts(tmp_path: Path, format_: str) -> None:
    path, _, _ = written(tmp_path, valid_rows(), format_, AR, 0)
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
        for number, path in ((n, path) for n, row in enumerate(own) for path in places(row)):
            field = place_of(path)
            optional = path[-1] == "has_answer" or re.match(r"metadata\.(?!source)\w+$", field)
            for value in (7.5,) if optional else (7.5, None):
                rows = valid_rows()
                Corruption(split, number, field, value, "").apply(rows)
                first = next(one for one in validate(rows) if one.severity == "error")
                assert (first.file, first.row, first.field) == (f"dict[{split}]", number, field)
                assert first.expected in ("a string", "a list", "an object", "true or false")


@pytest.mark.parametrize(("corruption", "severity", "format_"), CASES)
def test_a_corruption_is_named_with_file_row_and_field(
    tmp_path: Path, corruption: Corruption, severity: str, format_: str
) -> None:
    rows = valid_rows()
    corruption.apply(rows)
    path, file, row = written(tmp_path, rows, format_, corruption.split, corruption.row)
    problems = beyond_counts(validate(path))
    place = (severity, file, row, corruption.field)
    named = [p for p in problems if (p.severity, p.file, p.row, p.field) == place]
    assert named, [str(problem) for problem in problems]
    assert corruption.expected in named[0].expected
    assert {(p.file, p.row) for p in problems} == {(file, row)}
    assert str(named[0]).startswith(f"{file}, row {row}, {corruption.field}: found ")
    assert "\n" not in str(named[0])


@pytest.mark.parametrize("format_", EVERY_FORMAT)
def test_a_row_that_stands_twice_is_named(tmp_path: Path, format_: str) -> None:
    rows = valid_rows()
    rows[LRU].append(rows[LRU][1])
    path, file, row = written(tmp_path, rows, format_, LRU, 3)
    (problem,) = beyond_counts(validate(path))
    assert (problem.severity, problem.file, problem.row) == ("error", file, row)
    assert f"row {row - 2}" in problem.found


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


def test_ids_that_restart_in_the_next_row_are_right_only_for_eventqa(tmp_path: Path) -> None:
    rows = valid_rows()
    rows[AR] += [{**row, "context": "Another history."} for row in rows[AR][1:3]]
    problems = beyond_counts(validate(write_json(tmp_path, rows)))
    assert {(p.severity, p.row) for p in problems} == {("warning", 4)}


def test_rows_in_memory_are_validated_with_their_entities(tmp_path: Path) -> None:
    rows = list(open_dataset(write_json(tmp_path, valid_rows())).rows())
    known = replace(Dataset.from_rows("made", lambda: rows), entity_ids={"a": 101, "b": 104})
    assert beyond_counts(validate(known)) == []
    (problem,) = beyond_counts(validate(replace(known, entity_ids={"a": 101})))
    assert (problem.file, problem.field) == ("made", "answers[1][0]")


def errors(path: Path, complete: bool = False) -> list[Problem]:
    return [p for p in validate(path, complete=complete) if p.severity == "error"]


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


@pytest.mark.parametrize("name", ["rows.parquet", "rows.json", "rows.jsonl"])
@pytest.mark.parametrize("damage", _DAMAGES)
def test_a_file_that_cannot_be_read_is_one_line(tmp_path: Path, name: str, damage: str) -> None:
    whole, file, _ = written(tmp_path / "whole", valid_rows(), name.rpartition(".")[2], CR, 0)
    path = tmp_path / name
    path.write_bytes(_DAMAGES[damage](Path(file if whole.is_dir() else whole).read_bytes()))
    found = errors(path)
    assert found
    assert all(p.file == str(path) or p.file == path.stem for p in found)
    assert all(p.expected and "\n" not in str(p) for p in found)
    if damage not in ("blank", "no rows", "empty split"):
        with pytest.raises(DataError, match=r"^.*rows\..*expected.*$") as error:
            list(open_dataset(path).rows())
        assert "\n" not in str(error.value)


@given(st.binary(max_size=300), st.sampled_from([".parquet", ".json", ".jsonl"]))
def test_no_bytes_raise(tmp_path_factory: pytest.TempPathFactory, data: bytes, end: str) -> None:
    path = tmp_path_factory.mktemp("bytes") / f"rows{end}"
    path.write_bytes(data)
    assert errors(path)


def test_rows_around_broken_json_are_validated(tmp_path: Path) -> None:
    path = write_jsonl(tmp_path, valid_rows())
    lines = path.read_text(encoding="utf-8").split("\n\n")
    lines[1] = lines[1][:50]
    lines[3] = lines[3].replace("101", "x")
    path.write_text("\n\n".join(lines), encoding="utf-8")
    broken, wrong = errors(path)
    assert (broken.row, wrong.row, wrong.field) == (1, 3, "answers[0][0]")
    assert "line 3" in broken.found
    rows = valid_rows()
    rows["Accurate_Retrieval"][0]["context"] = ""
    path = write_json(tmp_path, rows)
    path.write_bytes(_DAMAGES["cut"](path.read_bytes()))
    wrong, broken = errors(path)
    assert wrong.field == "context"
    assert (broken.row, broken.field) == (None, None)


def test_columns_that_are_missing_or_unknown_are_named(tmp_path: Path) -> None:
    path = write_hub(tmp_path / "hub", valid_rows())
    file = path / "data" / f"{CR}-00000-of-00001.parquet"
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


def test_text_that_is_not_utf8_in_a_parquet_row_does_not_stop_the_others(tmp_path: Path) -> None:
    rows = valid_rows()[CR]
    table = pa.Table.from_pylist(rows, schema=hub_schema())
    raw = pa.array([b"caf\xe9", b"The history."], pa.binary())
    index = table.schema.get_field_index("context")
    path = tmp_path / f"{CR}.parquet"
    pq.write_table(table.set_column(index, "context", raw.view(pa.string())), path)
    (problem,) = errors(path)
    assert (problem.row, problem.field) == (0, "context")


def test_a_file_of_an_unknown_split_is_pointed_out_and_read(tmp_path: Path) -> None:
    path = write_hub(tmp_path / "hub", valid_rows())
    file = path / "data" / f"{CR}-00000-of-00001.parquet"
    file.rename(path / "data" / "train-00000-of-00001.parquet")
    (problem,) = [p for p in validate(path) if "split" in p.found]
    assert (problem.severity, Path(problem.file).name[:6]) == ("warning", "train-")
    assert {row.split for row in open_dataset(path).rows()} == set(valid_rows())


@pytest.mark.parametrize(
    ("content", "field"),
    [
        *(("[1]", None), ('{"a": 1', None), ('{"a": 1, "b": "2"}', "b")),
        *((f'{{"a": {value}}}', "a") for value in ("true", "-1", "null")),
    ],
)
def test_malformed_entities_are_named(tmp_path: Path, content: str, field: str | None) -> None:
    path = write_hub(tmp_path / "hub", valid_rows())
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


_ROW = valid_rows()[CR][0]
_TEXTS = st.text(st.characters(codec="utf-8") | st.sampled_from("\ud83d\ude00\\u"), max_size=6)


def _data(folder: Path, rows: Rows, format_: str) -> object:
    return rows if format_ == "objects" else written(folder / "data set", rows, format_, CR, 0)[0]


def _refusal(data: object) -> str:
    with pytest.raises(MabenchError) as refused:
        list(load(data).rows())
    return str(refused.value)


def _file(folder: Path, text: str, name: str = "rows.json") -> str:
    (folder / name).write_text(text, encoding="utf-8")
    return str(folder / name)


@pytest.mark.parametrize("value", [_ROW, None, "rows", {"context": ["a"]}, 3])
@pytest.mark.parametrize("first", [True, False])
def test_a_split_that_is_no_list_is_refused(tmp_path: Path, value: object, first: bool) -> None:
    splits = {TTL: value, CR: [_ROW]} if first else {CR: [_ROW], TTL: value}
    said = _refusal(_file(tmp_path, json.dumps(splits)))
    assert f"rows.json[{TTL}]: found " in said
    assert "expected a list of rows" in said
    assert "a list of rows" in _refusal(_file(tmp_path, json.dumps({TTL: value})))


def test_splits_that_are_no_lists_or_stand_twice_are_refused(tmp_path: Path) -> None:
    assert "[more]" in _refusal(_file(tmp_path, json.dumps({CR: [_ROW], "more": _ROW})))
    assert "[context]" in _refusal(_file(tmp_path, json.dumps({"context": "x", CR: [_ROW]})))
    assert f"the rows of {TTL} are an object" in _refusal({TTL: _ROW, CR: [_ROW]})
    rows = json.dumps([_ROW])
    said = _refusal(_file(tmp_path, f'{{"{CR}": {rows}, "{CR}": {rows}}}'))
    assert f"rows.json[{CR}]: found a duplicate split" in said
    empty = valid_rows()
    empty[CR][1] |= {"questions": [], "answers": [], "metadata": {"source": "detective_qa"}}
    assert "questions: found an empty list" in _refusal(empty)


def test_what_is_no_row_beside_lists_of_rows_is_a_warning(tmp_path: Path) -> None:
    path = _file(tmp_path, json.dumps({"version": 3, CR: [_ROW]}))
    assert len(list(load(path).rows())) == 1
    (warning,) = [one for one in validate(path) if "version" in one.file]
    assert (warning.severity, warning.found) == ("warning", "3 (int)")


@pytest.mark.parametrize("key", ["questions", "answers", "source"])
@pytest.mark.parametrize(
    ("name", "form"),
    [
        ("rows.jsonl", "{ok}\n{row}\n"),
        ("rows.json", "[{ok}, {row}]"),
        ("rows.json", '{{"' + CR + '": [{ok}, {row}]}}'),
        ("rows.json", "{row}"),
    ],
)
def test_a_key_that_stands_twice_is_refused(tmp_path: Path, key: str, name: str, form: str) -> None:
    ok = json.dumps(_ROW)
    row = ok.replace(f'"{key}": ', f'"{key}": "other", "{key}": ', 1)
    said = _refusal(_file(tmp_path, form.format(ok=ok, row=row), name))
    assert f"row {int('{ok}' in form)}, {key}: found a duplicate key" in said
    assert name in said


@pytest.mark.parametrize("golds", [None, "", [], [""], [" \n"], ["right", ""], [None]])
@pytest.mark.parametrize("format_", [*EVERY_FORMAT, "objects"])
def test_golds_that_say_nothing_are_refused(tmp_path: Path, golds: Any, format_: str) -> None:
    if format_ == "parquet" and golds == "":
        pytest.skip("a column of lists holds no string")
    rows = valid_rows()
    rows[CR][1]["answers"][1] = golds
    said = _refusal(_data(tmp_path, rows, format_))
    assert "answers[1]" in said


@pytest.mark.parametrize("half", ["\ud83d", "b\ude00", "\ude00\ud83d", "a\ud83dA"])
@pytest.mark.parametrize("format_", ["json", "objects"])
def test_half_a_character_is_refused_by_its_place(tmp_path: Path, format_: str, half: str) -> None:
    for field in ("context", "questions[1]", "answers[1][0]", "metadata.qa_pair_ids[1]"):
        rows = valid_rows()
        Corruption(CR, 1, field, half, "").apply(rows)
        said = _refusal(_data(tmp_path, rows, format_))
        assert f"{field}: found " in said
        assert "expected text without lone surrogates" in said


@settings(max_examples=60)  # Of a megabyte each.
@given(text=_TEXTS, padding=st.integers(0, 30))
def test_json_says_what_any_parser_reads_or_is_refused(
    tmp_path_factory: pytest.TempPathFactory, text: str, padding: int
) -> None:
    """Also where an escape stands at the end of a block of the file."""
    folder = tmp_path_factory.mktemp("rows")
    context = "x" * ((1 << 20) - padding) + text
    path = _file(folder, json.dumps([{**_ROW, "context": context}]))
    whole = json.loads(json.dumps(context))
    try:
        (row,) = load(path).rows()
    except MabenchError:
        with pytest.raises(UnicodeEncodeError):
            whole.encode()
    else:
        assert row.context == whole


@pytest.mark.parametrize("path", ["a\0b", "a\ud83d", "x" * 5000, "~nobody-here/rows"])
def test_what_can_be_no_path_is_an_error_of_ours(path: str) -> None:
    assert _refusal(path)
