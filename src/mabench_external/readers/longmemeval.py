"""LongMemEval (``longmemeval_s.json``, ``_m``, ``_oracle``): one history for each question.

The file is a list of questions, each of which becomes a row. Every turn stands behind the date of
its session, so that a chunk tells when its turns were said; which turns hold the answer is kept
apart from the history. So are the ids of sessions, some of which begin with ``answer``: sessions
are numbered instead.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from mabench.data.inventory import Source
from mabench.data.readers.formats import FileFormat
from mabench.data.records import Problem, Record, describe
from mabench.printable import write_count
from mabench_external.readers.faults import (
    FieldError,
    answer_text,
    check_turns,
    field_of,
    left_out,
    of_type,
    question_text,
    row_of,
)
from mabench_external.readers.turns import History

SOURCE = Source("longmemeval", split="LongMemEval", family="longmemeval")
FIELDS = frozenset({"question_id", "question", "haystack_sessions"})

_SESSION_LISTS = ("haystack_sessions", "haystack_session_ids", "haystack_dates")
_KNOWN = FIELDS | {
    *("question_type", "answer", "question_date", "answer_session_ids"),
    *_SESSION_LISTS,
}
_TURN_FIELDS = frozenset({"role", "content", "has_answer"})
_UNANSWERABLE = "_abs"
# What a row has in place of what is left out.
_KEPT = {"sessions without a turn": "sessions in which something was said"}
_NO_OTHER = "the fields of turns, the question and its evidence"


def read(record: Record) -> Iterator[Record | Problem]:
    """Yield the row that a question with its history is, after what is left out of it."""
    return row_of(record, SOURCE.split, _row)


def _row(record: Record) -> tuple[dict[str, object], list[Problem]]:
    fields = of_type(record, record.content, "", dict)
    name = field_of(record, fields, "question_id", str)
    date = field_of(record, fields, "question_date", str)
    question = question_text(record, fields, "question")
    ignored = Counter(key for key in fields if key not in _KNOWN)
    history, evidence, sessions = _history(record, fields, ignored)
    answered_in = field_of(record, fields, "answer_session_ids", list)
    problems: list[Problem] = []
    for i, session in enumerate(answered_in):
        place = f"answer_session_ids[{i}]"
        evidence.append(sessions.get(of_type(record, session, place, str), session))
        if session not in sessions:
            expected = "the id of a session of the history; others tell no evidence"
            problems.append(record.warning(place, describe(session), expected))
    metadata = {
        "source": SOURCE.name,
        "qa_pair_ids": [name],
        "question_ids": [name],
        "question_dates": [date],
        "question_types": [field_of(record, fields, "question_type", str)],
    }
    row = {
        "context": history.text,
        # As the rows of the hub ask, which tell the day of the question.
        "questions": [f"Current Date: {date},\n\n Now Answer the Question: {question}"],
        "answers": [[answer_text(record, fields, "answer")]],
    }
    problems += check_turns(record, history.turns)
    problems += left_out(record, ignored, _KEPT, _NO_OTHER)
    # What a question that cannot be answered is about is no evidence.
    own = [] if _UNANSWERABLE in name else list(dict.fromkeys(evidence))
    return {**row, "metadata": metadata, "turns": history.turns, "evidence": [own]}, problems


def _history(
    record: Record, fields: Mapping[str, Any], ignored: Counter[str]
) -> tuple[History, list[str], dict[str, str]]:
    """Return the sessions by date, the ids of the turns that hold the answer, and names by id."""
    lists = [field_of(record, fields, name, list) for name in _SESSION_LISTS]
    for name, listed in zip(_SESSION_LISTS, lists, strict=True):
        if len(listed) != len(lists[0]):
            expected = f"{len(lists[0])}, one for each session"
            raise FieldError(record.error(name, write_count(len(listed), "item"), expected))
    places = range(len(lists[0]))
    names, dates = (
        [of_type(record, listed[i], f"{name}[{i}]", str) for i in places]
        for name, listed in zip(_SESSION_LISTS[1:], lists[1:], strict=True)
    )
    history, evidence, sessions = History(), list[str](), dict[str, str]()
    for i in sorted(places, key=dates.__getitem__):  # The oracle's file has them in no order.
        turns = of_type(record, lists[0][i], f"haystack_sessions[{i}]", list)
        ignored["sessions without a turn"] += not turns
        if turns:
            sessions.setdefault(names[i], f"session_{len(sessions) + 1}")
        for j, item in enumerate(turns):
            place = f"haystack_sessions[{i}][{j}]"
            turn = of_type(record, item, place, dict)
            role, session = field_of(record, turn, f"{place}.role", str), sessions[names[i]]
            said = field_of(record, turn, f"{place}.content", str)
            history.add(f"Chat Time: {dates[i]}\n{role}: ")
            history.say(session, f"{session}:{j + 1}", said, date=dates[i], role=role)
            history.add("\n\n")
            if _has_answer(record, turn, f"{place}.has_answer"):
                evidence.append(history.turns[-1]["id"])
            ignored.update(key for key in turn if key not in _TURN_FIELDS)
    return history, evidence, sessions


def _has_answer(record: Record, turn: Mapping[str, Any], place: str) -> bool:
    marked = turn.get("has_answer")
    if marked not in (None, False, True):
        raise FieldError(record.error(place, describe(marked), "true or false"))
    return bool(marked)


FORMAT = FileFormat(
    sources=(SOURCE,),
    published="a file such as longmemeval_s.json",
    fields=FIELDS,
    items="questions",
    rows=read,
)
