"""Files with any value in any place are read, or refused in our words; nothing else is raised."""

import copy
import json
import tempfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mabench.data.descriptions.dates import read_dates
from mabench.data.problems import describe
from mabench.errors import MabenchError
from mabench.loading import load, validate
from tests.data.samples import DROP, corrupt, places, valid_rows
from tests.external.test_layouts import LAYOUTS, data_of
from tests.published_files import beam, locomo, longmemeval

_CHAT = {
    "context": [
        {"text": "Hi", "time": "2024-05-01T10:00Z", "speaker": "Ida", "id": "1", "user": "u"},
        {"text": "I moved.", "time": "2024-05-02T10:00Z", "id": "2"},
    ],
    "questions": ["Who?", "When?"],
    "answers": [["Ida"], ["today"]],
    "metadata": {"source": "own", "qa_pair_ids": ["a", "b"]},
    "asked_after": ["1", "2024-05-02"],
    "asked_by": ["u", None],
}
# JSON, or nearly: what a parser takes for a number, a text, a time, and what it should not.
_DEEP = 2000
_TEXTS = (
    *("9" * 5000, "-" + "9" * 30, "1e999", "1e-999", "NaN", "-Infinity", "true", "null", "1.5"),
    *("[]", "{}", '""', '" "', '"\\ud800"', '"\\udc00\\ud800"', '"\\u0000"', "[" * _DEEP),
    *("[" * _DEEP + "]" * _DEEP, '{"a":' * _DEEP + "1" + "}" * _DEEP, f'"{"٣" * 5000}"'),
    *('"0000-01-01"', '"99999-01-01"', '"0001-01-01T00:00+14:00"', '"9999-12-31T23:59-14:00"'),
    *('"2023/05/20 10:00 +99:00"', '"2023/13/45 (Sat) 99:99"', "253402300800", "-1"),
)
_ODD_VALUES = st.sampled_from(_TEXTS) | st.builds(
    json.dumps, st.text(max_size=30) | st.integers() | st.floats() | st.booleans()
)
_KEYS = st.sampled_from(
    [f"session_{'9' * 5000}", f"session_{'9' * 5000}_date_time", "session_²", "session_0", "", "x"]
)
_MARK = "put the value here"


def _rows() -> list[dict[str, Any]]:
    return [row for rows in valid_rows().values() for row in rows]


_FORMATS: dict[str, Callable[[], Any]] = {
    "locomo.json": locomo,
    "longmemeval.json": longmemeval,
    "rows.json": _rows,
    "rows.jsonl": _rows,
    "chat.jsonl": lambda: [copy.deepcopy(_CHAT)],
}


def _objects(part: Any) -> list[dict[str, Any]]:
    """Every object in a JSON value."""
    inner = part.values() if isinstance(part, dict) else part if isinstance(part, list) else ()
    return [
        *([part] if isinstance(part, dict) else ()),
        *(o for one in inner for o in _objects(one)),
    ]


def _mutate(data: st.DataObject, content: Any) -> Any:
    """Put a mark at a place, or under a new key, or drop what is there."""
    if data.draw(st.integers(0, 5)) == 0:
        data.draw(st.sampled_from(_objects(content)))[data.draw(_KEYS)] = _MARK
    else:
        value = data.draw(st.sampled_from([_MARK, _MARK, _MARK, DROP]))
        named = [place for place in places(content) if "-" not in place]  # As `corrupt` reads them.
        corrupt(content, data.draw(st.sampled_from(named)), value)
    return content


def _read_or_refuse(path: Path) -> None:
    for problem in validate(path):
        assert len(str(problem)) < 3000
    with suppress(MabenchError):
        for row in load(path).rows():
            [*row.flatten()]


_quick = settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])


@pytest.mark.parametrize("name", _FORMATS)
@_quick
@given(data=st.data())
def test_a_mutated_file_is_read_or_refused(name: str, data: st.DataObject) -> None:
    content = _mutate(data, copy.deepcopy(_FORMATS[name]()))
    lines = content if name.endswith("l") else [content]
    text = "\n".join(json.dumps(line) for line in lines)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, name)
        path.write_text(text.replace(f'"{_MARK}"', data.draw(_ODD_VALUES)), encoding="utf-8")
        _read_or_refuse(path)


@_quick
@given(data=st.data())
def test_a_mutated_chat_of_beam_is_read_or_refused(data: st.DataObject) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = data.draw(st.sampled_from(sorted(beam(Path(folder, "beam")).rglob("*.json"))))
        content = _mutate(data, json.loads(path.read_text("utf-8")))
        text = json.dumps(content).replace(f'"{_MARK}"', data.draw(_ODD_VALUES))
        path.write_text(text, encoding="utf-8")
        _read_or_refuse(Path(folder, "beam"))


@pytest.mark.parametrize("layout", LAYOUTS)
@settings(_quick, max_examples=6)
@given(data=st.data())
def test_mutated_files_of_other_layouts_are_read_or_refused(
    layout: str, data: st.DataObject
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        place = data_of(layout, Path(folder, "data"))
        files = sorted(file for file in Path(folder).rglob("*.json*") if file.is_file())
        path = data.draw(st.sampled_from(files))
        is_lines, text = path.suffix == ".jsonl", path.read_text("utf-8")
        content = list(map(json.loads, text.splitlines())) if is_lines else json.loads(text)
        content = _mutate(data, content)
        text = "\n".join(map(json.dumps, content)) if is_lines else json.dumps(content)
        path.write_text(text.replace(f'"{_MARK}"', data.draw(_ODD_VALUES)), encoding="utf-8")
        _read_or_refuse(place)


_KINDS = (
    *(pa.timestamp("ms"), pa.timestamp("us", "Nowhere/At"), pa.timestamp("ns"), pa.date64()),
    *(pa.duration("ms"), pa.float64(), pa.int64(), pa.bool_(), pa.binary(), pa.large_string()),
    *(pa.string(), pa.list_(pa.timestamp("us")), pa.list_(pa.large_string())),
    *(pa.dictionary(pa.int8(), pa.string()), pa.list_(pa.dictionary(pa.int8(), pa.string()))),
)


@_quick
@given(
    field=st.sampled_from(["context", "questions", "answers", "source", "question_dates"]),
    kind=st.sampled_from(_KINDS),
    number=st.sampled_from([0, 2**62, -(2**62), 86_400_000]),
)
def test_columns_of_parquet_of_any_type_are_read_or_refused(
    field: str, kind: pa.DataType, number: int
) -> None:
    plain = kind.value_type if pa.types.is_list(kind) or pa.types.is_dictionary(kind) else kind
    plain = plain.value_type if pa.types.is_dictionary(plain) else plain
    is_text = pa.types.is_string(plain) or pa.types.is_large_string(plain)
    value: Any = f"text {number}" if is_text else number
    value = b"\xff" if pa.types.is_binary(plain) else value
    value = float(number) if pa.types.is_floating(plain) else value
    value = number > 0 if pa.types.is_boolean(plain) else value
    odd = pa.array([[value]] if pa.types.is_list(kind) else [value], kind)
    parts = {"source": pa.array(["own"]), "question_dates": pa.array([["2024"]])}
    columns = {"context": ["Arden."], "questions": [["q?"]], "answers": [[["Arden"]]]}
    parts, columns = (
        {name: odd if name == field else own for name, own in group.items()}
        for group in (parts, columns)
    )
    metadata = pa.StructArray.from_arrays([*parts.values()], names=[*parts])
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "rows.parquet")
        pq.write_table(pa.table({**columns, "metadata": metadata}), path)
        _read_or_refuse(path)


@given(
    st.text(max_size=40)
    | st.from_regex(r"\d{1,4}[/-]\d{1,2}[/-]\d{1,4} \d{1,2}:\d\d ?([AP]M)?( [+-]\d\d:?\d\d)?\Z")
    | st.integers()
    | st.floats()
    | st.booleans()
)
def test_any_value_is_a_date_or_none(value: object) -> None:
    (date,) = read_dates([value])
    assert date is None or date.tzinfo is not None


@pytest.mark.parametrize("text", ["2023/05/20 10:00 +99:00", "2023/05/20 10:00 -24:00"])
def test_no_zone_is_a_day_away(text: str) -> None:
    assert read_dates([text]) == [None]


def test_a_number_that_python_will_not_write_is_described() -> None:
    assert describe(10**5000) == "a whole number of more than 80 digits"
