"""Reads a chat of BEAM as a row.

Each chat is a folder with ``chat.json`` and ``probing_questions/probing_questions.json``. Chats are
read one at a time. Every message is a line that begins with the date of its batch, or with the
name of the batch, so that a chunk shows when it was said.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path

from mabench.data.descriptions.dates import read_dates
from mabench.data.descriptions.histories import HistoryBuilder
from mabench.data.descriptions.leftovers import count_left_out
from mabench.data.descriptions.parts import FieldError, JsonPart, row_of
from mabench.data.formats import DataFormat
from mabench.data.problems import Problem, describe
from mabench.data.records import Record
from mabench.errors import reason
from mabench.userfile import read_json_file
from mabench_external.beam.folders import (
    CHAT,
    QUESTIONS,
    SOURCES,
    find_chats,
    passed_over,
    source_of,
    sources_of,
)

_ANSWERS = ("answer", "ideal_response", "ideal_answer", "ideal_summary", "expected_compliance")
_USED = frozenset({"question", "rubric", "source_chat_ids", *_ANSWERS})
_BATCH_FIELDS = frozenset({"batch_number", "time_anchor", "turns"})
_MESSAGE_FIELDS = frozenset({"role", "id", "content", "time_anchor"})
# After this marker comes a place in the plan of the chat, or a remark, which nobody said.
_MARKER = "->->"
_MARKERS = "markers of the plan"
# How many wrong ids of a question are named.
_MOST_SHOWN = 5
# What a row has in place of fields that are left out.
_PLAN = "what was said; these are places in the plan of the chat"
_KEPT = dict.fromkeys(("index", "question_type", _MARKERS), _PLAN)
_NO_OTHER = "the fields of messages"
_NO_NOTES = "questions, ideal answers, rubrics and evidence; these are notes on them"


def read_chats(path: Path) -> Iterator[Record | Problem]:
    """Yield the rows of all chats in a folder, after warnings about what is left out."""
    yield from passed_over(path)
    for chat in find_chats(path):
        yield from read_chat(chat)


def read_chat(chat: Path) -> Iterator[Record | Problem]:
    """Yield the row of a chat, after what is wrong with it or left out."""
    source = source_of(chat)
    return row_of(Record(str(chat), 0, None, None), source.split, partial(_row, source.name))


def _whole(record: Record) -> JsonPart:
    """Return the content of a JSON file, or raise a ``FieldError``."""
    try:
        return JsonPart(record, read_json_file(Path(record.file), distinct_keys=True))
    except (OSError, ValueError) as error:
        expected = "JSON in UTF-8: copy or download the file again"
        raise FieldError(record.error(None, reason(error), expected)) from error


def _history(chat: JsonPart, ignored: Counter[str]) -> HistoryBuilder:
    """Return the history of a chat; count the fields that are left out."""
    history = HistoryBuilder()
    for session, batch in _batches(chat):
        date = batch["time_anchor"].value or session
        for turn in batch["turns"].items():
            for message in turn.items():
                date = message["time_anchor"].value or date
                ignored[_MARKERS] += _say(history, message, session, str(date))
                ignored.update(key for key in message.value if key not in _MESSAGE_FIELDS)
        ignored.update(key for key in batch.value if key not in _BATCH_FIELDS)
    return history


def _batches(chat: JsonPart) -> Iterator[tuple[str, JsonPart]]:
    """Yield the name and the fields of each batch. In chats of 10M, batches are within plans."""
    for i, item in enumerate(chat.items(), start=1):
        fields = item.of(dict)
        if not _BATCH_FIELDS.isdisjoint(fields):
            yield f"batch {fields.get('batch_number', i)}", item
            continue
        for plan in fields:
            for j, batch in enumerate(item[plan].items(), start=1):
                yield f"{plan} batch {batch.of(dict).get('batch_number', j)}", batch


def _say(history: HistoryBuilder, message: JsonPart, session: str, date: str) -> bool:
    """Add a message to the history; return whether a marker was cut off."""
    role, number = message["role"].of(str), message["id"].of(int)
    said, marker, _ = message["content"].of(str).partition(_MARKER)
    history.add(f"[{date}] {role}: ")
    [time] = read_dates([date])
    history.say(session, str(number), said.rstrip() if marker else said, time, role=role)
    history.add("\n\n")
    return bool(marker)


def _row(source: str, record: Record) -> tuple[dict[str, object], list[Problem]]:
    """Return the content of a row, and warnings about it."""
    ignored, notes = Counter[str](), Counter[str]()
    history = _history(_whole(record), ignored)
    problems = [*history.check(record)]
    known = {turn["id"] for turn in history.turns}
    ids, types, questions, answers, evidence, rubrics = [], [], [], [], [], []
    chat = Path(record.file).parent
    asked = _whole(record._replace(file=str(chat / QUESTIONS)))
    for ability in asked.of(dict):
        for i, question in enumerate(asked[ability].items()):
            questions.append(question["question"].text())
            ids.append(f"{source}_{chat.name}_{ability}_{i}")
            types.append(ability)
            answers.append([_answer(question)])
            rubrics.append(_rubric(question["rubric"]))
            named = question["source_chat_ids"]
            evidence.append(list(dict.fromkeys(str(one) for one in _leaves(named.value))))
            unknown = [one for one in evidence[-1] if one not in known]
            if unknown:
                expected = "the ids of messages of the chat; others tell no evidence"
                found = ", ".join(map(describe, unknown[:_MOST_SHOWN]))
                problems.append(named.doubt(expected, found))
            notes.update(key for key in question.value if key not in _USED)
    problems += count_left_out(record, ignored, _KEPT, _NO_OTHER)
    problems += count_left_out(asked.record, notes, {}, _NO_NOTES)
    metadata = {"source": source, "qa_pair_ids": ids, "question_types": types}
    row = {"context": history.text, "questions": questions, "answers": answers}
    added = {"turns": history.turns, "evidence": evidence, "rubrics": rubrics}
    return {**row, "metadata": metadata, **added}, problems


def _answer(question: JsonPart) -> str:
    """Return the ideal answer of a question, which may be in one of several fields."""
    for name in _ANSWERS:
        if question[name].value is not None:
            return question[name].answer()
    raise question.fault(f"one of {', '.join(_ANSWERS)}", "no ideal answer")


def _rubric(rubric: JsonPart) -> list[str]:
    lines = [line.of(str) for line in rubric.items()]
    if not lines:
        raise rubric.fault("at least one line", "an empty list")
    return lines


def _leaves(value: object) -> Iterator[object]:
    """Yield the values in nested lists and objects, except null."""
    if isinstance(value, Mapping | list):
        for part in value.values() if isinstance(value, Mapping) else value:
            yield from _leaves(part)
    elif value is not None:
        yield value


FORMAT = DataFormat(
    sources=tuple(SOURCES.values()),
    published=f"the folder chats, or one of a size or a chat in it, with 100K/1/{CHAT} and so on",
    find=find_chats,
    read=read_chats,
    sources_in=sources_of,
)
