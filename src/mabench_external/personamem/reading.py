"""What the description of PersonaMem cannot say: which questions belong to which history."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

from mabench.data.descriptions.asked import ToldHistory
from mabench.data.descriptions.parts import FieldError, JsonPart
from mabench.data.problems import Problem, one_line
from mabench.data.records import Record
from mabench_external.tables import csv_rows, json_lines, literal, whole_number

_SIZES = ("32k", "128k", "1M")
_FILES = ("questions_{size}.csv", "shared_contexts_{size}.jsonl")
_COLUMNS = (
    *("question_id", "question_type", "user_question_or_message", "correct_answer"),
    *("all_options", "shared_context_id", "end_index_in_shared_context"),
)
# Before each option, and before what each side says.
_LETTER = re.compile(r"\(([a-z])\)\s*(.*)", re.DOTALL)
_SPEAKER = re.compile(r"(?:User|Assistant): ?")


def find_files(path: Path) -> list[Path]:
    """Return the questions and the histories of each size in a folder, or beside a file."""
    folders = [path / "data", path] if path.is_dir() else [path.parent]
    for folder in folders:
        pairs = [[folder / name.format(size=size) for name in _FILES] for size in _SIZES]
        found = [pair for pair in pairs if all(map(Path.is_file, pair))]
        named = [pair for pair in found if path.is_dir() or path in pair]
        if named:
            return [file for pair in named for file in pair]
    return []


def sources_at(path: Path) -> list[str]:
    """Return the names of the sources of the files at a path."""
    return [_source_of(file) for file in find_files(path)[::2]]


def join(path: Path) -> Iterator[Record | Problem]:
    """Yield each history with the questions about it, in the order of the histories."""
    files = find_files(path)
    for table, contexts in zip(files[::2], files[1::2], strict=True):
        try:
            yield from _join(table, contexts)
        except FieldError as error:
            yield error.problem


def _join(table: Path, contexts: Path) -> Iterator[Record | Problem]:
    asked: dict[str, list[JsonPart]] = defaultdict(list)
    for row in csv_rows(table, _COLUMNS):
        asked[row["shared_context_id"].of(str)].append(row)
    for context in json_lines(contexts):
        for name in context.of(dict):
            questions = asked.pop(name, [])
            if not questions:
                yield context[name].doubt("a question about it; it is left out")
                continue
            try:
                content = {
                    "source": _source_of(table),
                    "id": name,
                    "sessions": _sessions(context[name]),
                    "questions": questions,
                }
            except FieldError as error:
                yield error.problem
                continue
            yield context.record._replace(content=content)
    for name, questions in asked.items():
        where = questions[0]["shared_context_id"]
        yield where.fault(f"the id of a history in {contexts.name}", name).problem


def _sessions(messages: JsonPart) -> list[dict[str, list[JsonPart]]]:
    """Return the sessions of a history, each of which a message of the system opens."""
    sessions: list[list[JsonPart]] = []
    for number, message in enumerate(messages.items()):
        fields = {**message.of(dict), "number": number}
        numbered = JsonPart(message.record, fields, message.place)
        if not sessions or message["role"].value == "system":
            sessions.append([])
        sessions[-1].append(numbered)
    return [{"turns": turns} for turns in sessions]


def said(message: JsonPart) -> str:
    """Return what was said, without the speaker's name before it."""
    return _SPEAKER.sub("", message["content"].of(str), count=1)


def options(row: JsonPart) -> list[str]:
    """Return the options of a question, each on one line and without its letter."""
    texts = []
    cell = row["all_options"]
    for number, option in enumerate(literal(cell, list)):
        match = _LETTER.fullmatch(option) if isinstance(option, str) else None
        if match is None or match[1] != chr(ord("a") + number):
            raise cell.fault(f"option {number + 1} to begin with ({chr(ord('a') + number)})")
        texts.append(one_line(match[2]))
    return texts


def answer(row: JsonPart, kind: str | None) -> str:
    """Return the letter of the right option."""
    return row["correct_answer"].text().strip("() \n").upper()


def asked_after(row: JsonPart, history: ToldHistory) -> str:
    """Return the id of the last message that the question may know of."""
    cell = row["end_index_in_shared_context"]
    end = whole_number(cell)
    if not 0 < end <= len(history.turns):
        raise cell.fault(f"a number of messages from 1 to {len(history.turns)}")
    return str(end - 1)


def _source_of(table: Path) -> str:
    return f"personamem_{table.stem.partition('_')[2].lower()}"
