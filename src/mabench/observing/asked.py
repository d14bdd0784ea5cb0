"""Writes imported conversations as the rows of a data set, with the questions to ask of memories.

By default these are the questions that users asked in the conversations. Each is asked before the
turn in which a user asked it, so that a memory knows neither the question nor the reply.
"""

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

# In place of the gold of a question that nobody answered; nothing is compared with it.
_NO_REPLY = "(nobody replied)"
_ROWS_FILE = "conversations.jsonl"
_SOURCE = "observed"
_QUESTION_MARKS = ("?", "\uff1f", "\u061f")  # Also the wide one of Chinese, and the Arabic one.
_LONGEST_QUESTION = 1_000  # Characters.
_DECLARATION = f'[{_SOURCE}]\nfamily = "observed"\n'


class AskedOf(StrEnum):
    """Which questions observed memories are asked."""

    USERS = "users"  # What users asked, each before the turn in which they did.
    SHEET = "sheet"  # The accepted questions of the sheet.
    NOBODY = "nobody"  # A history is only told; it is searched once, for its last turn.


class _ObservedQuestion(NamedTuple):
    """A question to ask of the memories."""

    text: str
    reply: str  # What was said next; nothing is compared with it.
    supports: Sequence[str] = ()  # The ids of the turns that hold the answer, if known.
    asked_after: str | None = None  # A turn, a day or a time; None for the whole history.


def reply_of(answers: Sequence[str]) -> str | None:
    """Return the reply to a question from the answers in a row that was written here.

    Return None if nobody replied.
    """
    for answer in answers:
        if answer != _NO_REPLY:
            return answer
    return None


class WrittenRows(NamedTuple):
    """How many rows and questions were written."""

    rows: int
    questions: int


def write_observed(folder: Path, out: Path, asked: AskedOf) -> WrittenRows:
    """Write the conversations of a folder as a data set for runs.

    A conversation about which nothing is asked is told, too: its last turn is its only question,
    which is not counted.

    Args:
        folder: the folder of the conversations.
        out: the folder of the data set. A file that is there with the same content is kept.
        asked: which questions are asked.

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
    rows: list[str] = []  # As JSON.
    question_count = 0
    for line, place in conversation_lines(folder):
        conversation = _read_line(line, place)
        questions = list(_find_questions(conversation, sheet, asked))
        question_count += len(questions)
        if not questions:
            questions = [_question_of_last_turn(conversation)]
        rows.append(to_json(_make_row(conversation, questions)))
    out.mkdir(parents=True, exist_ok=True)
    _write_once(out / "sources.toml", _DECLARATION)
    _write_once(out / _ROWS_FILE, "".join(f"{row}\n" for row in rows))
    return WrittenRows(rows=len(rows), questions=question_count)


def _write_once(file: Path, content: str) -> None:
    """Write a file, unless it is there with this content: runs that are resumed read it."""
    encoded = content.encode()
    if not file.is_file() or file.read_bytes() != encoded:
        write_file(file, content)


def _read_line(line: bytes, place: str) -> Mapping[str, Any]:
    """Return the conversation in a line of JSON, as an object with its turns as ``context``.

    ``place`` names the line in messages of errors.

    Raises:
        DataError: when the line has another form than the import gave it.
    """
    try:
        row: Any = from_json(line)
        turns = row["context"]
        if all(isinstance(turn["text"], str) and turn["id"] for turn in turns):
            return {"context": turns}
    except (ValueError, TypeError, LookupError):
        pass  # It has another form, too.
    raise DataError(f"{place}: no conversation as it was imported; import it again")


def _read_accepted(folder: Path) -> Mapping[str, list[SheetLine]]:
    """Return the accepted questions of the sheet, by history; none if there is no sheet.

    Raises:
        DataError: when lines of the sheet are wrong.
    """
    file = find_sheet(folder)
    if file is None:
        return {}
    lines, problems = read_sheet(file)
    if problems:
        raise DataError("\n".join(str(problem) for problem in problems))
    by_history: dict[str, list[SheetLine]] = defaultdict(list)
    for line in lines:
        if line.status is QuestionStatus.ACCEPTED:
            by_history[line.history].append(line)
    return by_history


def _find_questions(
    conversation: Mapping[str, Any], sheet: Mapping[str, list[SheetLine]], asked: AskedOf
) -> Iterator[_ObservedQuestion]:
    """Yield what is asked of a conversation: questions of the sheet, those of users, or none.

    ``sheet`` has the accepted questions by history. If it has a question that a user asked, the
    turns that hold the answer are known from it.
    """
    lines = sheet.get(history_of(conversation), [])
    if asked is AskedOf.SHEET:
        for line in lines:
            yield _ObservedQuestion(
                text=line.question,
                reply=line.answers[0],
                supports=line.supports,
                asked_after=line.asked_after,
            )
    elif asked is AskedOf.USERS:
        known_supports = {_on_one_line(line.question): line.supports for line in lines}
        for question in _find_questions_of_users(conversation["context"]):
            yield question._replace(supports=known_supports.get(question.text, ()))


def _find_questions_of_users(turns: Sequence[Mapping[str, Any]]) -> Iterator[_ObservedQuestion]:
    """Yield the questions that users asked, to be asked after the turn before each.

    The first turn is never one, since nothing was told before it. Where roles are known, a user is
    who has that role; else everybody is one.
    """
    has_roles = any(turn.get("role") for turn in turns)
    for index in range(1, len(turns)):
        turn = turns[index]
        is_of_user = turn.get("role") == "user" or not has_roles
        if not is_of_user or not _is_question(turn["text"]):
            continue
        reply = ""
        if index + 1 < len(turns) and _speaker(turns[index + 1]) != _speaker(turn):
            reply = turns[index + 1]["text"].strip()
        yield _ObservedQuestion(
            text=_on_one_line(turn["text"]),
            reply=reply or _NO_REPLY,
            asked_after=turns[index - 1]["id"],
        )


def _is_question(text: str) -> bool:
    """Return whether a text ends as a question, and is not too long to be asked."""
    return text.rstrip().endswith(_QUESTION_MARKS) and len(text) <= _LONGEST_QUESTION


def _speaker(turn: Mapping[str, Any]) -> object:
    """Return who said a turn or, if nobody is named, in which role."""
    return turn.get("speaker") or turn.get("role")


def _on_one_line(text: str) -> str:
    return " ".join(text.split())


def _question_of_last_turn(conversation: Mapping[str, Any]) -> _ObservedQuestion:
    """Return the last turn with a text as a question about the whole history.

    A run asks each row at least one question. So a history of which nothing is asked is searched
    once, for what was said last.
    """
    texts = [turn["text"] for turn in conversation["context"] if turn["text"].strip()]
    text = texts[-1] if texts else "?"
    return _ObservedQuestion(text=_on_one_line(text)[:_LONGEST_QUESTION], reply=_NO_REPLY)


def _make_row(
    conversation: Mapping[str, Any], questions: Sequence[_ObservedQuestion]
) -> dict[str, Any]:
    """Return the row of a data set with a conversation and its questions, in the file's form."""
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
        row["evidence"] = [list(question.supports) for question in questions]
    if any(question.asked_after for question in questions):
        row["asked_after"] = [question.asked_after for question in questions]
    return row
