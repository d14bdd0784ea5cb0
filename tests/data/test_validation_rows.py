"""Every way in which a row can be wrong is named with file, row and field."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from mabench.data import Dataset, Problem, open_dataset
from mabench.loading import validate
from tests.data.corruptions import AR, CASES, CR, EVERY_FORMAT, LRU, Corruption
from tests.data.samples import Rows, valid_rows, write_hub, write_json, write_jsonl


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
    assert {p.severity for p in problems} == {"warning"}
    assert all(p.field == "metadata.source" for p in problems)


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


def test_there_are_at_least_thirty_corruptions() -> None:
    assert len({(c.split, c.row, c.path, str(c.value)) for c, _, _ in CASES}) >= 30


@pytest.mark.parametrize("content", ["row", None, 3, ["context"]])
@pytest.mark.parametrize("format_", ["json", "jsonl"])
def test_a_row_that_is_no_object_is_named(tmp_path: Path, content: Any, format_: str) -> None:
    rows = valid_rows()
    rows[AR][1] = content
    path, file, row = written(tmp_path, rows, format_, AR, 1)
    (problem,) = beyond_counts(validate(path))
    assert (problem.file, problem.row, problem.field) == (file, row, None)
    assert "an object with context, questions, answers, metadata" in problem.expected


@pytest.mark.parametrize("format_", EVERY_FORMAT)
def test_a_row_that_stands_twice_is_named(tmp_path: Path, format_: str) -> None:
    rows = valid_rows()
    rows[LRU].append(rows[LRU][1])
    path, file, row = written(tmp_path, rows, format_, LRU, 3)
    (problem,) = beyond_counts(validate(path))
    assert (problem.severity, problem.file, problem.row) == ("error", file, row)
    assert f"row {row - 2}" in problem.found


def test_every_problem_of_every_row_is_named(tmp_path: Path) -> None:
    rows = valid_rows()
    rows[AR][0]["context"] = None
    rows[AR][0]["answers"][1][0] = " "
    rows[CR][1]["questions"][0] = ""
    rows[CR][1]["metadata"]["source"] = "nobody"
    fields = [p.field for p in beyond_counts(validate(write_json(tmp_path, rows)))]
    assert fields == ["context", "answers[1][0]", "questions[0]", "metadata.source"]


def test_an_unknown_field_is_named_once_for_a_file(tmp_path: Path) -> None:
    rows = valid_rows()
    for row in rows[AR]:
        row["comment"] = "a"
    fields = [p.field for p in validate(write_jsonl(tmp_path, rows))]
    assert fields.count("comment") == 1


def test_ids_that_restart_in_the_next_row_are_right_only_for_eventqa(tmp_path: Path) -> None:
    rows = valid_rows()
    for row in (1, 2):
        again = {**rows[AR][row], "context": "Another history."}
        rows[AR].append(again)
    problems = beyond_counts(validate(write_json(tmp_path, rows)))
    assert {(p.severity, p.row) for p in problems} == {("warning", 4)}


def test_rows_in_memory_are_validated_with_their_entities(tmp_path: Path) -> None:
    rows = list(open_dataset(write_json(tmp_path, valid_rows())).rows())
    known = replace(Dataset.from_rows("made", lambda: rows), entity_ids={"a": 101, "b": 104})
    assert beyond_counts(validate(known)) == []
    unknown = replace(Dataset.from_rows("made", lambda: rows), entity_ids={"a": 101})
    (problem,) = beyond_counts(validate(unknown))
    assert problem.file == "made"
    assert problem.field == "answers[1][0]"


def test_a_problem_as_a_dict_has_its_fields() -> None:
    problem = Problem("error", "f.json", 3, "context", "null", "a string")
    assert problem.as_dict() == {
        "severity": "error",
        "file": "f.json",
        "row": 3,
        "field": "context",
        "found": "null",
        "expected": "a string",
    }
    assert str(problem) == "f.json, row 3, context: found null; expected a string"
