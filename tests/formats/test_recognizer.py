"""What a file is: decided by what is in it, never guessed, and bounded."""

import gzip
import json
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mabench.errors import DataError, UsageError
from mabench.formats import FormatKind, Glimpse, Item, named_format, recognize, refuse_other_kinds


@given(content=st.binary(max_size=200))
def test_no_content_makes_a_first_look_fail(
    content: bytes, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("looked")
    for name in ("a.json", "a.jsonl", "a.csv", "a.json.gz"):
        path = folder / name
        path.write_bytes(content)
        look = Glimpse(path)
        _ = look.document, look.first_line, look.first_item, look.columns, look.entries
        assert recognize(look) is None


@pytest.mark.parametrize("content", ["", "[", "{", "[[1]]", '["a"]', "null", "[" * 5000, "{}\n{}"])
def test_what_holds_no_object_has_no_format(content: str, tmp_path: Path) -> None:
    path = tmp_path / "file.json"
    path.write_text(content, encoding="utf-8")
    assert recognize(Glimpse(path)) is None
    assert recognize(Glimpse(tmp_path / "missing.json")) is None
    assert recognize(Glimpse(tmp_path)) is None


def test_the_first_object_of_a_long_list_is_found_without_the_rest(tmp_path: Path) -> None:
    path = tmp_path / "file.json"
    path.write_text('[{"sample_id": "a", "qa": []}, {"broken', encoding="utf-8")
    first = Glimpse(path).first_item
    assert first == {"sample_id": "a", "qa": []}


def test_a_mark_at_the_beginning_and_compression_are_no_hindrance(tmp_path: Path) -> None:
    path = tmp_path / "file.json.gz"
    path.write_bytes(gzip.compress(b"\xef\xbb\xbf" + json.dumps({"a": 1}).encode()))
    assert Glimpse(path).document == {"a": 1}


def test_the_columns_of_a_table_are_read(tmp_path: Path) -> None:
    for name, separator in (("file.csv", ","), ("file.tsv", "\t")):
        path = tmp_path / name
        path.write_text(f"time{separator} text\n1{separator}2", encoding="utf-8")
        assert Glimpse(path).columns == ("time", "text")


def test_a_file_of_another_kind_names_its_command(tmp_path: Path) -> None:
    path = tmp_path / "file.jsonl"
    path.write_text('{"question_id": "q", "hypothesis": "Arden"}', encoding="utf-8")
    refuse_other_kinds(path, FormatKind.RESULTS)
    with pytest.raises(
        UsageError, match=r"looks like a result file .*; use `mabench score .*file\.jsonl`"
    ):
        refuse_other_kinds(path, FormatKind.DATA)


def test_damaged_data_are_not_taken_for_results_without_predictions(tmp_path: Path) -> None:
    path = tmp_path / "locomo.json"
    question = {"question": "Where?", "answer": "Arden", "category": 1}
    path.write_text(json.dumps([{"sample_id": "a", "qa": [question]}]), encoding="utf-8")
    assert recognize(Glimpse(path)) is None
    asked = [question, {**question, "m_prediction": "x"}]
    path.write_text(json.dumps([{"sample_id": "a", "qa": asked}]), encoding="utf-8")
    recognized = recognize(Glimpse(path))
    assert recognized is not None
    assert recognized.name == "locomo-results"


def test_a_wrong_name_of_a_format_says_the_nearest() -> None:
    with pytest.raises(UsageError, match="no result format named 'lobo': did you mean lobu"):
        named_format("lobo", FormatKind.RESULTS)


@pytest.mark.parametrize(
    ("read", "value", "expected"),
    [
        (Item.text, 1, "a text"),
        (Item.flag, "yes", "true or false"),
        (Item.number, float("nan"), "a number from 0 to 1"),
        (Item.number, 2, "a number from 0 to 1"),
        (Item.whole_number, "x", "a whole number"),
        (Item.whole_number, True, "a whole number"),
        (Item.items, {}, "a list"),
        (Item.fields, [], "an object"),
        (Item.golds, {}, "a text"),
    ],
)
def test_a_value_of_another_type_names_its_place(
    read: Callable[[Item], object], value: object, expected: str
) -> None:
    item = Item("a.json", "", {"qa": [{"x": value}]})["qa"].items()[0]["x"]
    with pytest.raises(DataError, match=rf"a\.json, qa\[0\]\.x: found .*, expected {expected}"):
        read(item)
