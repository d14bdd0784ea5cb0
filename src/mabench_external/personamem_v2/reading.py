"""Joins the table of PersonaMem-v2 with the histories that its rows link to, and reads its cells.

Each row of the table is a question; it links to the file of its history in each of two sizes.
``description.toml`` says how the files become rows, and names the functions here for what it cannot
express. A ``JsonPart`` is a value of a file with its place: ``row["pref_type"].of(str)`` is the
text in that cell of a row, or a ``FieldError``.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path

from mabench.data.descriptions.parts import AGAIN, FieldError, JsonPart
from mabench.data.problems import Problem, one_line
from mabench.data.records import Record
from mabench_external.tables import csv_rows, first_line, literal

_TABLE = "benchmark.csv"
_PLACES = ("", "benchmark/text")  # Where the table may be within a folder.
_SIZES = ("32k", "128k")
_COLUMNS = ("user_query", "correct_answer", "incorrect_answers", "pref_type")
_LINK = "chat_history_{size}_link"
# How far above the table the folder may be from which links go.
_MOST_ABOVE = 3


def find_files(path: Path) -> list[Path]:
    """Return the first table in a folder, or the path itself if it is one; at most one file."""
    if path.is_dir():
        candidates = [path / place / _TABLE for place in _PLACES]
    else:
        candidates = [path] if path.name == _TABLE else []
    tables = [file for file in candidates if _is_table(file)]
    return tables[:1]


def _is_table(file: Path) -> bool:
    """Return whether a file begins with the columns of the benchmark's table."""
    return file.is_file() and _LINK.format(size=_SIZES[0]) in first_line(file)


def join(path: Path) -> Iterator[Record | Problem]:
    """Yield each history, of each size that is there, with the questions about it.

    A size is there if the first row's link leads to a file. If no size is, the smaller one is tried
    all the same, so that its missing files are reported.
    """
    [table] = find_files(path)
    try:
        links = [_LINK.format(size=size) for size in _SIZES]
        rows = list(csv_rows(table, [*_COLUMNS, *links]))
        sizes = [size for size in _SIZES if rows and _history_file(table, rows[0], size)]
        for size in sizes or _SIZES[:1]:
            yield from _join_size(table, rows, size)
    except FieldError as error:
        yield error.problem


def _join_size(table: Path, rows: list[JsonPart], size: str) -> Iterator[Record | Problem]:
    """Yield each history of a size with the questions about it, in the order of the table.

    Yields a problem for each row whose history is missing, and for each file that cannot be read.
    """
    questions_by_file: dict[Path, list[JsonPart]] = {}
    for row in rows:
        file = _history_file(table, row, size)
        if file is None:
            yield row[_LINK.format(size=size)].fault(f"a file beside {table.name}; {AGAIN}").problem
            continue
        questions_by_file.setdefault(file, []).append(row)
    for file, questions in questions_by_file.items():
        record = Record(str(file), 0, split=None, content=None)
        try:
            content = JsonPart.of_file(record)
            turns = content if isinstance(content.value, list) else content["chat_history"]
        except FieldError as error:
            yield error.problem
            continue
        fields = {"source": f"personamem_v2_{size}", "turns": turns, "questions": questions}
        yield record._replace(content=fields)


def _history_file(table: Path, row: JsonPart, size: str) -> Path | None:
    """Return the file of a row's history in a size; None if there is no such file.

    A link is a path relative to one of the folders above the table. One that could lead out of them
    is not followed.
    """
    link = Path(row[_LINK.format(size=size)].of(str))
    if link.is_absolute() or ".." in link.parts:
        return None
    for folder in table.parents[:_MOST_ABOVE]:
        if (folder / link).is_file():
            return folder / link
    return None


def query(row: JsonPart) -> str:
    """Return what the user says, which its cell holds as an object with a field ``content``."""
    cell = row["user_query"]
    content = literal(cell, dict).get("content")
    if not isinstance(content, str) or not content.strip():
        raise cell.fault("an object with a `content`")
    return content


def options(row: JsonPart) -> list[str]:
    """Return the options of a question in an order that depends on nothing but the texts.

    The file has the right option first. The published code shuffles them by a hash that differs
    from one process to the next, so ours is another one that does not.
    """
    cell = row["incorrect_answers"]
    wrong_options: list[object] = literal(cell, list)
    are_texts = all(isinstance(option, str) and option.strip() for option in wrong_options)
    if not wrong_options or not are_texts:
        raise cell.fault("a list of texts")
    right_option = answer(row, None)
    texts = [one_line(str(option)) for option in (right_option, *wrong_options)]
    question = row["user_query"].of(str)

    def place(text: str) -> bytes:
        return hashlib.sha256(f"{question}\n{text}".encode()).digest()

    return sorted(texts, key=place)


def answer(row: JsonPart, kind: str | None) -> str:
    """Return the text of the right option; the type of the question does not matter."""
    return one_line(row["correct_answer"].text())
