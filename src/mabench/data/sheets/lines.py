"""A sheet of questions: read and written, as CSV or JSON, with every fault named by its line.

What a person wrote in a sheet is never changed by writing it again.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

from mabench.csv_text import write_csv
from mabench.data.problems import Problem, describe
from mabench.errors import DataError, nearest, reason
from mabench.json_text import from_json, to_json
from mabench.outfile import write_file
from mabench.userfile import read_bytes

SHEET_FILES = ("questions.csv", "questions.json")
COLUMNS = ("history", "question", "answer", "supports", "asked_after", "kind", "status", "note")
_LARGEST = 1 << 26
_OR = "|"  # Between several right answers.
_FORMULAS = ("=", "+", "-", "@")


class QuestionStatus(StrEnum):
    """Whether a question counts."""

    ACCEPTED = "accepted"
    DRAFT = "draft"
    REJECTED = "rejected"


@dataclass(frozen=True, kw_only=True)
class SheetLine:
    """One question of a sheet."""

    history: str  # The id of its history: that of its turns without their number.
    question: str
    answers: tuple[str, ...]  # Each of them is right.
    supports: tuple[str, ...] = ()  # The ids of the turns that it rests on.
    asked_after: str | None = None  # A turn, a day or a time; None for the whole history.
    kind: str | None = None
    status: QuestionStatus = QuestionStatus.ACCEPTED
    note: str | None = None  # Whatever a person, or a check, says of it.
    place: str = ""  # Where it is, such as ``line 3``.


def find_sheet(folder: Path) -> Path | None:
    """Return the sheet of a folder; raises ``DataError`` if there are two."""
    found = [folder / name for name in SHEET_FILES if (folder / name).is_file()]
    if len(found) > 1:
        raise DataError(f"{folder} has two sheets, {' and '.join(SHEET_FILES)}; remove one")
    return found[0] if found else None


def read_sheet(file: Path) -> tuple[list[SheetLine], list[Problem]]:
    """Return the questions of a sheet, and what is wrong with others; raises ``DataError``."""
    lines, problems = list[SheetLine](), list[Problem]()
    for place, fields in _read_json(file) if file.suffix == ".json" else _read_csv(file):
        line = _line(place, fields, str(file))
        if isinstance(line, Problem):
            problems.append(line)
        else:
            lines.append(line)
    return lines, problems


def write_sheet(file: Path, lines: Iterable[SheetLine]) -> None:
    """Write a sheet whole; raises as ``write_file`` does."""
    rows = [_cells(line) for line in lines]
    if file.suffix == ".json":
        objects = [dict(zip(COLUMNS, row, strict=True)) for row in rows]
        content = "\n".join(f"  {to_json(each)}," for each in objects).rstrip(",")
        write_file(file, f"[\n{content}\n]\n" if objects else "[]\n")
        return
    stream = io.StringIO()
    write_csv(stream, [COLUMNS, *rows], line_end="\n")
    write_file(file, stream.getvalue())


def _cells(line: SheetLine) -> list[str]:
    status = "" if line.status is QuestionStatus.ACCEPTED else line.status.value
    answer, supports = f" {_OR} ".join(line.answers), " ".join(line.supports)
    more = (line.asked_after or "", line.kind or "", status, line.note or "")
    return [line.history, line.question, answer, supports, *more]


def _read_csv(file: Path) -> Iterator[tuple[str, Mapping[str, Any]]]:
    try:
        text = read_bytes(file, _LARGEST).decode("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        remedy = "save it as CSV in UTF-8"
        raise DataError(f"{file}: not readable: {reason(error)}; {remedy}") from error
    header = text.partition("\n")[0]
    delimiter = max(",;\t", key=header.count)
    reader = csv.DictReader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    try:
        for name in reader.fieldnames or ():
            if name.strip() not in COLUMNS:
                near = " or ".join(nearest(name, COLUMNS)) or ", ".join(COLUMNS)
                raise DataError(f"{file}: found a column {name!r}; expected {near}")
        for row in reader:
            place = f"line {reader.line_num}"
            if None in row:
                raise DataError(f"{file}, {place}: too many values; put texts in quotes")
            fields = {name.strip(): _unguard(value or "") for name, value in row.items()}
            if any(value.strip() for value in fields.values()):
                yield place, fields
    except csv.Error as error:
        raise DataError(
            f"{file}, line {reader.line_num}: {reason(error)}; save it again"
        ) from error


def _unguard(text: str) -> str:
    """Return a text without the apostrophe that keeps spreadsheets from taking it for a formula."""
    rest = text.removeprefix("'")
    is_guarded = rest != text and rest.lstrip()[:1] in _FORMULAS
    return rest if is_guarded else text


def _read_json(file: Path) -> Iterator[tuple[str, Mapping[str, Any]]]:
    try:
        value = from_json(read_bytes(file, _LARGEST))
    except (OSError, ValueError) as error:
        raise DataError(f"{file}: not readable: {reason(error)}; correct it") from error
    if not isinstance(value, list):
        raise DataError(f"{file}: found {describe(value)}; expected a list of questions")
    for number, fields in enumerate(value):
        if not isinstance(fields, dict):
            raise DataError(f"{file}, item {number}: found {describe(fields)}; expected an object")
        yield f"item {number}", fields


def _line(place: str, fields: Mapping[str, Any], file: str) -> SheetLine | Problem:
    """Return the question that the fields of a sheet's line hold, or the first problem of it."""

    def fault(field: str, expected: str) -> Problem:
        found = describe(fields.get(field))
        return Problem("error", f"{file}, {place}", None, field, found, expected)

    for name in fields:
        if name not in COLUMNS:
            return fault(name, f"no field but {', '.join(COLUMNS)}")
    cells: dict[str, str] = {}
    for name in COLUMNS:
        text = _text(fields.get(name), name)
        if text is None:
            return fault(name, "a text")
        cells[name] = text.strip()
    status = cells["status"].lower() or QuestionStatus.ACCEPTED.value
    if status not in [*QuestionStatus]:
        return fault("status", f"nothing, or {', '.join(QuestionStatus)}")
    counts = status == QuestionStatus.ACCEPTED
    answers = tuple(filter(None, (answer.strip() for answer in cells["answer"].split(_OR))))
    if not cells["history"] and counts:
        return fault("history", "the id of a history")
    if not cells["question"] and counts:
        return fault("question", "a question")
    if not answers and counts:
        return fault("answer", f"an answer, or several with {_OR} between them")
    return SheetLine(
        history=cells["history"],
        question=cells["question"],
        answers=answers,
        supports=tuple(cells["supports"].replace(",", " ").split()),
        asked_after=cells["asked_after"] or None,
        kind=cells["kind"] or None,
        status=QuestionStatus(status),
        note=cells["note"] or None,
        place=place,
    )


def _text(value: Any, name: str) -> str | None:
    """Return a value as a cell has it; None for one that no cell can hold."""
    if value is None:
        return ""
    if isinstance(value, list) and all(isinstance(each, str) for each in value):
        return (f" {_OR} " if name == "answer" else " ").join(value)
    if isinstance(value, int | float) and not isinstance(value, bool):
        return str(value)
    return value if isinstance(value, str) else None
