"""Joins PersonaMem's tables of questions with the files of histories, and reads its cells.

For each size of histories there are two files: a table whose rows are questions, each with the id
of its history, and the histories. ``description.toml`` says how they become rows, and names the
functions here for what it cannot express. A ``JsonPart`` is a value of a file with its place:
``row["all_options"].of(str)`` is the text in that cell of a row, or a ``FieldError``.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from mabench.data.descriptions.asked import ToldHistory
from mabench.data.descriptions.parts import FieldError, JsonPart
from mabench.data.problems import Problem, one_line
from mabench.data.records import Record
from mabench_external.tables import csv_rows, json_lines, literal, whole_number

_SIZES = ("32k", "128k", "1M")
_FILES = ("questions_{size}.csv", "shared_contexts_{size}.jsonl")  # Of each size.
_COLUMNS = (
    *("question_id", "question_type", "user_question_or_message", "correct_answer"),
    *("all_options", "shared_context_id", "end_index_in_shared_context"),
)
# An option after its letter, as in ``(a) Rice``.
_LETTERED_OPTION = re.compile(r"\(([a-z])\)\s*(.*)", re.DOTALL)
# Before what each side says.
_SPEAKER = re.compile(r"(?:User|Assistant): ?")


def find_files(path: Path) -> list[Path]:
    """Return the two files of each size in a folder, or of the size that a file is of."""
    return [file for files in _files_by_size(path) for file in files]


class _FilesOfSize(NamedTuple):
    """The two files of a size."""

    table: Path
    histories: Path


def _files_by_size(path: Path) -> list[_FilesOfSize]:
    """Return the files of each size in a folder, or of the size that the file at a path is of.

    The files may be in the folder ``data`` of the folder. A size with one of its files is left out.
    """
    folders = [path / "data", path] if path.is_dir() else [path.parent]
    for folder in folders:
        sizes = []
        for size in _SIZES:
            files = _FilesOfSize(*(folder / name.format(size=size) for name in _FILES))
            is_asked_for = path.is_dir() or path in files
            if is_asked_for and files.table.is_file() and files.histories.is_file():
                sizes.append(files)
        if sizes:
            return sizes
    return []


def sources_at(path: Path) -> list[str]:
    """Return the names of the sources of the files at a path, one for each size."""
    return [_source_of(files.table) for files in _files_by_size(path)]


def join(path: Path) -> Iterator[Record | Problem]:
    """Yield each history with the questions about it, in the order of the histories."""
    for files in _files_by_size(path):
        try:
            yield from _join_size(files)
        except FieldError as error:
            yield error.problem


def _join_size(files: _FilesOfSize) -> Iterator[Record | Problem]:
    """Yield each history of a size with its questions, and problems about what has no partner.

    A history without a question is a warning; a question without its history is an error.
    """
    questions_by_history: dict[str, list[JsonPart]] = defaultdict(list)
    for row in csv_rows(files.table, _COLUMNS):
        questions_by_history[row["shared_context_id"].of(str)].append(row)
    for histories in json_lines(files.histories):
        for name in histories.of(dict):
            questions = questions_by_history.pop(name, [])
            if not questions:
                yield histories[name].doubt("a question about it; it is left out")
                continue
            try:
                content = {
                    "source": _source_of(files.table),
                    "id": name,
                    "sessions": _sessions(histories[name]),
                    "questions": questions,
                }
            except FieldError as error:
                yield error.problem
                continue
            yield histories.record._replace(content=content)
    for name, questions in questions_by_history.items():
        cell = questions[0]["shared_context_id"]
        yield cell.fault(f"the id of a history in {files.histories.name}", name).problem


def _sessions(messages: JsonPart) -> list[dict[str, list[JsonPart]]]:
    """Return the sessions of a history; each begins with a message of the role ``system``.

    Each message gets a field ``number``, its place in the history from 0.
    """
    sessions: list[list[JsonPart]] = []
    for number, message in enumerate(messages.items()):
        if not sessions or message["role"].value == "system":
            sessions.append([])
        fields = {**message.of(dict), "number": number}
        sessions[-1].append(JsonPart(message.record, fields, message.place))
    return [{"turns": turns} for turns in sessions]


def text_said(message: JsonPart) -> str:
    """Return what was said in a message, without the speaker's name before it."""
    return _SPEAKER.sub("", message["content"].of(str), count=1)


def options(row: JsonPart) -> list[str]:
    """Return the texts of a question's options, each on one line and without its letter.

    Raises ``FieldError`` unless the letters are (a), (b) and so on, in order.
    """
    texts = []
    cell = row["all_options"]
    for place, option in enumerate(literal(cell, list)):
        letter = chr(ord("a") + place)
        match = _LETTERED_OPTION.fullmatch(option) if isinstance(option, str) else None
        if match is None or match[1] != letter:
            raise cell.fault(f"option {place + 1} to begin with ({letter})")
        texts.append(one_line(match[2]))
    return texts


def answer(row: JsonPart, kind: str | None) -> str:
    """Return the letter of the right option, in upper case; the question's type does not matter."""
    return row["correct_answer"].text().strip("() \n").upper()


def asked_after(row: JsonPart, history: ToldHistory) -> str:
    """Return the id of the last message that a question may know of.

    The cell says how many messages come before the question, and the id of a message is its place
    in the history from 0.
    """
    cell = row["end_index_in_shared_context"]
    known_messages = whole_number(cell)
    if not 0 < known_messages <= len(history.turns):
        raise cell.fault(f"a number of messages from 1 to {len(history.turns)}")
    return str(known_messages - 1)


def _source_of(table: Path) -> str:
    """Return the name of the source of a table: ``personamem_32k`` of ``questions_32k.csv``."""
    return f"personamem_{table.stem.partition('_')[2].lower()}"
