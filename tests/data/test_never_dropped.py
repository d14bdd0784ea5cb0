import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import mabench
from mabench.errors import MabenchError
from mabench.loading import validate
from tests.data.corruptions import CR, EVERY_FORMAT, TTL, Corruption
from tests.data.samples import Rows, valid_rows, write_hub, write_json, write_jsonl

_ROW = valid_rows()[CR][0]
_WRITERS = {"parquet": write_hub, "json": write_json, "jsonl": write_jsonl}
_TEXTS = st.text(st.characters(codec="utf-8") | st.sampled_from("\ud83d\ude00\\u"), max_size=6)


def _data(folder: Path, rows: Rows, format_: str) -> object:
    return rows if format_ == "objects" else str(_WRITERS[format_](folder / "data set", rows))


def _refusal(data: object) -> str:
    with pytest.raises(MabenchError) as refused:
        list(mabench.load(data).rows())
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
    assert len(list(mabench.load(path).rows())) == 1
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
        (row,) = mabench.load(path).rows()
    except MabenchError:
        with pytest.raises(UnicodeEncodeError):
            whole.encode()
    else:
        assert row.context == whole


@pytest.mark.parametrize("path", ["a\0b", "a\ud83d", "x" * 5000, "~nobody-here/rows"])
def test_what_can_be_no_path_is_an_error_of_ours(path: str) -> None:
    assert _refusal(path)
