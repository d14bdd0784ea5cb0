"""What is asked of observed memories: what users asked in their conversations, where they did."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from enum import StrEnum
from pathlib import Path
from typing import Any, NamedTuple

from mabench.data.sheets import (
    QuestionStatus,
    SheetLine,
    find_sheet,
    history_of,
    read_sheet,
)
from mabench.errors import DataError, UsageError
from mabench.json_text import from_json, to_json
from mabench.outfile import write_file
from mabench.questioning import conversation_lines

# What stands for the gold of a question that nobody answered; nothing is compared with it.
_NO_REPLY = "(nobody replied)"
_ROWS_FILE = "conversations.jsonl"
_SOURCE = "observed"
_QUESTION_MARKS = ("?", "\uff1f", "\u061f")
_LONGEST = 1_000  # Characters of a question.
_DECLARATION = f'[{_SOURCE}]\nfamily = "observed"\n'


class AskedOf(StrEnum):
    """Which questions observed memories are asked."""

    USERS = "users"  # What users asked, each before the turn in which they did.
    SHEET = "sheet"  # The accepted questions of the sheet.
    NOBODY = "nobody"  # A history is only told; it is searched once, for its last turn.


class _ObservedQuestion(NamedTuple):
    text: str
    reply: str  # What was said next; nothing is compared with it.
    supports: Sequence[str] = ()
    asked_after: str | None = None  # A turn, a day or a time; None for the whole history.


def reply_of(answers: Sequence[str]) -> str | None:
    """Return what stands for the gold of a question in rows that were written; None for nothing."""
    return next((answer for answer in answers if answer != _NO_REPLY), None)


def write_observed(folder: Path, out: Path, asked: AskedOf) -> tuple[int, int]:
    """Write the conversations of a folder as rows that a run takes; return rows and questions.

    Conversations about which nothing is asked are told all the same: see ``AskedOf.NOBODY``.

    Raises:
        UsageError: when the folder holds no conversations, or no question of the sheet is accepted.
        DataError: when a file is no longer as it was written, or the rows cannot be written.
    """
    sheet = _read_accepted(folder)
    if asked is AskedOf.SHEET and not sheet:
        raise UsageError(
            f"{folder} has no accepted questions; `mabench data questions` makes some",
            parameter="asked",
        )
    lines, count = list[str](), 0
    for line, place in conversation_lines(folder):
        conversation = _read_line(line, place)
        found = [*_questions(conversation, sheet, asked)]
        count += len(found)
        lines.append(to_json(_row(conversation, found or [_last_turn(conversation)])))
    out.mkdir(parents=True, exist_ok=True)
    _write_once(out / "sources.toml", _DECLARATION)
    _write_once(out / _ROWS_FILE, "".join(f"{line}\n" for line in lines))
    return len(lines), count


def _write_once(file: Path, content: str) -> None:
    """Write a file, unless it is there with this content: runs that are resumed read it."""
    encoded = content.encode()
    if not file.is_file() or file.read_bytes() != encoded:
        write_file(file, content)


def _read_line(line: bytes, place: str) -> Mapping[str, Any]:
    try:
        row: Any = from_json(line)
        turns = row["context"]
        if all(isinstance(turn["text"], str) and turn["id"] for turn in turns):
            return {"context": turns}
    except (ValueError, TypeError, LookupError):
        pass
    raise DataError(f"{place}: no conversation as it was imported; import it again")


def _read_accepted(folder: Path) -> Mapping[str, list[SheetLine]]:
    """Return the accepted questions of the sheet, by history."""
    file = find_sheet(folder)
    lines, problems = read_sheet(file) if file else ([], [])
    if problems:
        raise DataError("\n".join(map(str, problems)))
    by_history: dict[str, list[SheetLine]] = defaultdict(list)
    for line in lines:
        if line.status is QuestionStatus.ACCEPTED:
            by_history[line.history].append(line)
    return by_history


def _questions(
    conversation: Mapping[str, Any], sheet: Mapping[str, list[SheetLine]], asked: AskedOf
) -> Iterator[_ObservedQuestion]:
    """Yield what is asked of a conversation; of questions in the sheet, the supports are known."""
    own = sheet.get(history_of(conversation), [])
    if asked is AskedOf.SHEET:
        for line in own:
            yield _ObservedQuestion(line.question, line.answers[0], line.supports, line.asked_after)
    elif asked is AskedOf.USERS:
        known = {_on_one_line(line.question): line.supports for line in own}
        for question in _asked_by_users(conversation["context"]):
            yield question._replace(supports=known.get(question.text, ()))


def _asked_by_users(turns: Sequence[Mapping[str, Any]]) -> Iterator[_ObservedQuestion]:
    """Yield the questions of users behind the first turn, each before its own turn.

    Where roles are known, a user is who has that role; else everybody is one.
    """
    with_roles = any(turn.get("role") for turn in turns)
    for number, turn in enumerate(turns):
        is_asked = turn["text"].rstrip().endswith(_QUESTION_MARKS)
        if number == 0 or not is_asked or len(turn["text"]) > _LONGEST:
            continue
        if with_roles and turn.get("role") != "user":
            continue
        later = turns[number + 1] if number + 1 < len(turns) else None
        replied = later is not None and _speaker(later) != _speaker(turn)
        reply = later["text"].strip() if later is not None and replied else ""
        before = turns[number - 1]["id"]
        yield _ObservedQuestion(_on_one_line(turn["text"]), reply or _NO_REPLY, asked_after=before)


def _speaker(turn: Mapping[str, Any]) -> object:
    return turn.get("speaker") or turn.get("role")


def _on_one_line(text: str) -> str:
    return " ".join(text.split())


def _last_turn(conversation: Mapping[str, Any]) -> _ObservedQuestion:
    said = next((t["text"] for t in reversed(conversation["context"]) if t["text"].strip()), "?")
    return _ObservedQuestion(_on_one_line(said)[:_LONGEST], _NO_REPLY)


def _row(conversation: Mapping[str, Any], questions: Sequence[_ObservedQuestion]) -> dict[str, Any]:
    history = history_of(conversation)
    row = {
        "context": conversation["context"],
        "questions": [question.text for question in questions],
        "answers": [[question.reply] for question in questions],
        "metadata": {
            "source": _SOURCE,
            "qa_pair_ids": [f"{history}-asked-{n}" for n in range(1, len(questions) + 1)],
        },
    }
    if any(question.supports for question in questions):
        row["evidence"] = [[*question.supports] for question in questions]
    if any(question.asked_after for question in questions):
        row["asked_after"] = [question.asked_after for question in questions]
    return row
