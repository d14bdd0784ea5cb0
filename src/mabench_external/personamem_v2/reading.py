"""What the description of PersonaMem-v2 cannot say: where histories are, the order of options."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path

from mabench.data.descriptions.parts import AGAIN, FieldError, JsonPart
from mabench.data.problems import Problem, one_line
from mabench.data.records import Record
from mabench_external.tables import csv_rows, first_line, literal

_TABLE = "benchmark.csv"
_PLACES = ("", "benchmark/text")  # Of the table in a folder.
_SIZES = ("32k", "128k")
_COLUMNS = ("user_query", "correct_answer", "incorrect_answers", "pref_type")
_LINK = "chat_history_{size}_link"
# How far above the table the folder may be from which links go.
_MOST_ABOVE = 3


def find_files(path: Path) -> list[Path]:
    """Return the table in a folder, or the path of it."""
    if path.is_dir():
        places = [path / place / _TABLE for place in _PLACES]
        return next(([file] for file in places if _is_table(file)), [])
    return [path] if path.name == _TABLE and _is_table(path) else []


def _is_table(file: Path) -> bool:
    return file.is_file() and _LINK.format(size=_SIZES[0]) in first_line(file)


def join(path: Path) -> Iterator[Record | Problem]:
    """Yield each history, of each size that is there, with the questions about it."""
    [table] = find_files(path)
    try:
        rows = [*csv_rows(table, [*_COLUMNS, *(_LINK.format(size=size) for size in _SIZES)])]
        sizes = [size for size in _SIZES if rows and _linked(table, rows[0], size) is not None]
        for size in sizes or _SIZES[:1]:
            yield from _join(table, rows, size)
    except FieldError as error:
        yield error.problem


def _join(table: Path, rows: list[JsonPart], size: str) -> Iterator[Record | Problem]:
    asked: dict[Path, list[JsonPart]] = {}
    for row in rows:
        file = _linked(table, row, size)
        if file is None:
            yield row[_LINK.format(size=size)].fault(f"a file beside {table.name}; {AGAIN}").problem
            continue
        asked.setdefault(file, []).append(row)
    for file, questions in asked.items():
        record = Record(str(file), 0, None, None)
        try:
            whole = JsonPart.of_file(record)
            turns = whole if isinstance(whole.value, list) else whole["chat_history"]
        except FieldError as error:
            yield error.problem
            continue
        content = {"source": f"personamem_v2_{size}", "turns": turns, "questions": questions}
        yield record._replace(content=content)


def _linked(table: Path, row: JsonPart, size: str) -> Path | None:
    """Return the file of a row's history; links go from a folder above the table."""
    link = Path(row[_LINK.format(size=size)].of(str))
    if link.is_absolute() or ".." in link.parts:
        return None
    folders = table.parents[:_MOST_ABOVE]
    return next((folder / link for folder in folders if (folder / link).is_file()), None)


def query(row: JsonPart) -> str:
    """Return what the user says."""
    cell = row["user_query"]
    said = literal(cell, dict).get("content")
    if not isinstance(said, str) or not said.strip():
        raise cell.fault("an object with a `content`")
    return said


def options(row: JsonPart) -> list[str]:
    """Return the options in an order that depends on their texts alone.

    The file has the right one first, and the published code shuffles by a hash that differs from
    one process to the next.
    """
    cell = row["incorrect_answers"]
    wrong: list[object] = literal(cell, list)
    if not wrong or not all(isinstance(one, str) and one.strip() for one in wrong):
        raise cell.fault("a list of texts")
    texts = [one_line(str(one)) for one in (answer(row, None), *wrong)]
    asked = row["user_query"].of(str)
    return sorted(texts, key=lambda text: hashlib.sha256(f"{asked}\n{text}".encode()).digest())


def answer(row: JsonPart, kind: str | None) -> str:
    """Return the text of the right option."""
    return one_line(row["correct_answer"].text())
