"""A small Parquet file that unpacks to much is refused in words; values nobody holds are named."""

from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from mabench.data import Problem
from mabench.errors import DataError
from mabench.loading import load, validate

_ROW = {
    "context": "Mira moved to Arden.",
    "questions": ["Where does Mira live?"],
    "answers": [["Arden"]],
    "metadata": {"source": "eventqa_full", "qa_pair_ids": ["q1"]},
}
_MIB = 1024**2


def _written(path: Path, table: pa.Table) -> Path:
    pq.write_table(table, path, compression="zstd")
    return path


def _errors(path: Path) -> list[Problem]:
    return [one for one in validate(path) if one.severity == "error" and one.file == str(path)]


@pytest.mark.parametrize(
    ("field", "value", "found"),
    [
        ("context", lambda: "a" * (70 * _MIB), "bytes when unpacked"),
        ("questions", lambda: [None] * 1_100_000, "values"),
        ("questions", lambda: ["q" * _MIB] * 70, "bytes when unpacked"),
        ("answers", lambda: [["a" * _MIB] * 70], "bytes when unpacked"),
    ],
    ids=["a long text", "a long list", "a text often", "a text often, deeper"],
)
def test_what_unpacks_to_much_more_than_the_file_is_refused(
    tmp_path: Path, field: str, value: Any, found: str
) -> None:
    schema = pa.Table.from_pylist([_ROW]).schema
    path = tmp_path / "rows.parquet"
    _written(path, pa.Table.from_pylist([{**_ROW, field: value()}], schema=schema))
    assert path.stat().st_size < 60_000
    (problem,) = _errors(path)
    assert found in problem.found
    assert "at most 67,108,864 bytes" in problem.expected
    assert "JSONL" in problem.expected
    with pytest.raises(DataError, match=r"rows\.parquet, row.*unpacked from a file of"):
        list(load(path).rows())


def test_texts_that_are_repeated_within_the_limit_are_read_as_they_are(tmp_path: Path) -> None:
    row = {**_ROW, "questions": ["What is new?"] * 300, "answers": [["Arden", "Bree"]] * 300}
    row["metadata"] = {"source": "eventqa_full", "qa_pair_ids": [f"q{i}" for i in range(300)]}
    (read,) = load(_written(tmp_path / "rows.parquet", pa.Table.from_pylist([row]))).rows()
    assert read.questions == row["questions"]
    assert read.answers == row["answers"]


@pytest.mark.parametrize(
    ("number", "kind"),
    [
        (2**62, pa.timestamp("us")),
        (-(2**62), pa.timestamp("ms", "UTC")),
        (2**30, pa.date32()),
        (1, pa.timestamp("us", "Nowhere/At")),
    ],
    ids=str,
)
def test_a_time_that_python_cannot_hold_is_named(
    tmp_path: Path, number: int, kind: pa.DataType
) -> None:
    dates = pa.array([[number]], pa.list_(kind))
    metadata = pa.StructArray.from_arrays(
        [pa.array(["eventqa_full"]), dates], names=["source", "question_dates"]
    )
    columns = {name: [value] for name, value in _ROW.items()} | {"metadata": metadata}
    path = _written(tmp_path / "rows.parquet", pa.table(columns))
    (problem,) = [one for one in _errors(path) if one.field == "metadata.question_dates[0]"]
    assert problem.row == 0
    assert "as text, times in ISO 8601" in problem.expected
    with pytest.raises(DataError, match=r"row 0, metadata\.question_dates\[0\]"):
        list(load(path).rows())
