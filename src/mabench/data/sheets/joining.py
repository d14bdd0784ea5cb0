"""Own conversations and the sheet of questions beside them, joined into rows when they are read.

The conversations are never written again: what is asked of them is in the sheet alone.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from mabench.data.problems import Problem, describe
from mabench.data.records import Record, fields_of, items_of
from mabench.data.sheets.drafts import name_drafts
from mabench.data.sheets.lines import QuestionStatus, SheetLine, find_sheet, read_sheet
from mabench.errors import DataError, nearest
from mabench.printable import write_count

CONVERSATIONS_FILE = "conversations.jsonl"
_REMEDY = "questions about them: `mabench data questions {folder}` makes them with you"


def join_questions(
    records: Iterator[Record | Problem], file: Path, *, drafts: bool = False
) -> Iterator[Record | Problem]:
    """Yield the conversations of a file that are asked about, with their questions.

    Only accepted questions count; ``drafts`` that have an answer are questions of a source of their
    own, for which the conversation is told again. A conversation without any is left
    out, and a problem says so. Records that have questions of their own are left as they are.
    """
    folder = file.parent
    remedy = _REMEDY.format(folder=folder)
    try:
        sheet = find_sheet(folder)
        lines, problems = read_sheet(sheet) if sheet else ([], [])
    except DataError as error:
        yield Problem("error", str(file), None, None, str(error), "a sheet of questions")
        return
    yield from problems
    asked = _by_history(lines, QuestionStatus.ACCEPTED)
    drafted = _by_history(lines, QuestionStatus.DRAFT) if drafts else {}
    left_out, histories, joined = 0, list[str](), 0
    for record in records:
        if isinstance(record, Problem):
            yield record
            continue
        own = fields_of(record.content)
        if items_of(own.get("questions")):
            joined += 1
            yield record
            continue
        history = history_of(own)
        histories.append(history)
        if history not in asked and history not in drafted:
            left_out += 1
        for of_status, is_draft in ((asked, False), (drafted, True)):
            if history in of_status:
                row, faults = _with_questions(
                    own, of_status.pop(history), str(sheet), is_draft=is_draft
                )
                yield from faults
                yield record._replace(row=joined, content=row)
                joined += 1
    for history, orphans in {**drafted, **asked}.items():
        near = " or ".join(nearest(history, histories)) or ", ".join(histories[:5])
        place = f"{sheet}, {orphans[0].place}"
        yield Problem("error", place, None, "history", describe(history), f"a history: {near}")
    if left_out:
        found = f"{write_count(left_out, 'conversation')} without questions"
        severity: Any = "warning" if joined else "error"
        yield Problem(severity, str(file), None, None, found, remedy)


def _by_history(lines: Iterable[SheetLine], status: QuestionStatus) -> dict[str, list[SheetLine]]:
    """Return the questions of a status that could be asked."""
    found: dict[str, list[SheetLine]] = defaultdict(list)
    for line in lines:
        if line.status is status and line.question and line.answers:
            found[line.history].append(line)
    return found


def history_of(content: Mapping[str, Any]) -> str:
    """Return the id of a conversation: that of its turns without their number."""
    first = next(iter(items_of(content.get("context"))), None)
    return str(fields_of(first).get("id", "")).rpartition("-")[0]


def _with_questions(
    content: Mapping[str, Any], lines: Sequence[SheetLine], sheet: str, *, is_draft: bool
) -> tuple[dict[str, Any], list[Problem]]:
    """Return a row with its questions, and what is wrong with what these name."""
    turns = {fields_of(turn).get("id") for turn in items_of(content.get("context"))}
    faults = [
        Problem(
            "error", f"{sheet}, {line.place}", None, "supports", repr(name), "a turn of its history"
        )
        for line in lines
        for name in line.supports
        if name not in turns
    ]
    history = lines[0].history
    own, kind = fields_of(content.get("metadata")), "draft" if is_draft else "q"
    metadata: dict[str, Any] = {
        **own,
        "qa_pair_ids": [f"{history}-{kind}{number}" for number in range(1, len(lines) + 1)],
    }
    if is_draft:
        metadata["source"] = name_drafts(str(own.get("source")))
    if any(line.kind for line in lines):
        metadata["question_types"] = [line.kind or "other" for line in lines]
    row = {
        **content,
        "questions": [line.question for line in lines],
        "answers": [[*line.answers] for line in lines],
        "metadata": metadata,
    }
    if any(line.supports for line in lines):
        row["evidence"] = [[*line.supports] for line in lines]
    if any(line.asked_after for line in lines):
        row["asked_after"] = [line.asked_after for line in lines]
    return row, faults
