"""Reads LongMemEval's own files (``longmemeval_s.json``, ``_m``, ``_oracle``).

A file is a list of questions, each with a history; each becomes a row. The date of its session
precedes every turn, so that a chunk shows when its turns were said. The history must not give the
answer away: marks of turns with the answer are left out, and so are the ids of sessions, some of
which begin with ``answer``. Sessions are numbered instead.
"""

from __future__ import annotations

from collections import Counter
from datetime import datetime
from functools import partial

from mabench.data.descriptions.dates import read_dates
from mabench.data.descriptions.histories import HistoryBuilder
from mabench.data.descriptions.leftovers import count_left_out
from mabench.data.descriptions.parts import JsonPart, row_of
from mabench.data.formats import DataFormat
from mabench.data.inventory import Source
from mabench.data.problems import Problem
from mabench.data.records import Record
from mabench.printable import write_count
from mabench.text.times import read_time

SOURCE = Source("longmemeval", split="LongMemEval", family="longmemeval")
_FIELDS = frozenset({"question_id", "question", "haystack_sessions"})

_SESSION_LISTS = ("haystack_sessions", "haystack_session_ids", "haystack_dates")
_KNOWN = _FIELDS | {
    *("question_type", "answer", "question_date", "answer_session_ids"),
    *_SESSION_LISTS,
}
_TURN_FIELDS = frozenset({"role", "content", "has_answer"})
_UNANSWERABLE = "_abs"
# What a row has in place of fields that are left out.
_KEPT = {"sessions without a turn": "sessions in which something was said"}
# How many unreadable dates of a history are named; further ones are only counted.
_MOST_NAMED = 3
_A_TIME = "a time such as 2023/05/20 (Sat) 22:54, or seconds since 1970"
_AS_LISTED = "the sessions stay in the order of the file"
_NO_OTHER = "the fields of turns, the question and its evidence"


def _row(record: Record) -> tuple[dict[str, object], list[Problem]]:
    """Return the content of a row, and warnings about it."""
    whole = JsonPart(record, record.content)
    name = whole["question_id"].of(str)
    date, asked_at, problems = _question_date(whole["question_date"])
    question = whole["question"].text()
    ignored = Counter(key for key in whole.value if key not in _KNOWN)
    history, evidence, sessions, doubts = _history(whole, ignored)
    problems += doubts
    for session in whole["answer_session_ids"].items():
        evidence.append(sessions.get(session.of(str), session.value))
        if session.value not in sessions:
            expected = "the id of a session of the history; others tell no evidence"
            problems.append(session.doubt(expected))
    metadata = {
        "source": SOURCE.name,
        "qa_pair_ids": [name],
        "question_ids": [name],
        "question_dates": [asked_at],
        "question_types": [whole["question_type"].of(str)],
    }
    row = {
        "context": history.text,
        # In the words of the rows on the hub, which contain the date of the question.
        "questions": [f"Current Date: {date},\n\n Now Answer the Question: {question}"],
        "answers": [[whole["answer"].answer()]],
    }
    problems += history.check(record)
    problems += count_left_out(record, ignored, _KEPT, _NO_OTHER)
    # A question that cannot be answered has no evidence.
    own = [] if _UNANSWERABLE in name else list(dict.fromkeys(evidence))
    return {**row, "metadata": metadata, "turns": history.turns, "evidence": [own]}, problems


def _question_date(part: JsonPart) -> tuple[str, str, list[Problem]]:
    """Return the date of the question as in the file, and in a form for rows, with warnings."""
    date = _date(part)
    [moment] = read_dates([part.value])
    if moment is None:
        return date, date, [part.doubt(f"{_A_TIME}; when it is asked stays unknown")]
    is_usual_form = read_time(date) == moment and not _is_iso(date)
    return date, date if is_usual_form else moment.isoformat(), []


def _date(part: JsonPart) -> str:
    """Return a date as text; seconds since 1970 may be a number. Raises as ``Part.of``."""
    is_number = isinstance(part.value, int | float) and not isinstance(part.value, bool)
    return str(part.value) if is_number else part.of(str)


def _is_iso(date: str) -> bool:
    try:
        datetime.fromisoformat(date)
    except ValueError:
        return False
    return True


def _order_sessions(
    dates: list[JsonPart],
) -> tuple[list[int], list[datetime | None], list[Problem]]:
    """Return the order of the sessions by time, their times, and warnings about unreadable dates.

    With an unreadable date, sessions keep the order of the file; if the other times are not in that
    order, all times are left out.
    """
    times = read_dates([date.value for date in dates])
    if None not in times:
        return sorted(range(len(times)), key=times.__getitem__), times, []  # type: ignore[arg-type]
    unread = [date for date, time in zip(dates, times, strict=True) if time is None]
    problems = [date.doubt(f"{_A_TIME}; {_AS_LISTED}") for date in unread[:_MOST_NAMED]]
    more = unread[_MOST_NAMED:]
    if more:
        found = f"{write_count(len(more), 'more date')} of this kind"
        problems.append(more[0].doubt(f"{_A_TIME}; {_AS_LISTED}", found))
    known = [time for time in times if time is not None]
    in_order = known == sorted(known)
    return list(range(len(times))), times if in_order else [None] * len(times), problems


def _history(
    whole: JsonPart, ignored: Counter[str]
) -> tuple[HistoryBuilder, list[str], dict[str, str], list[Problem]]:
    """Return the history, the ids of turns with the answer, the names of sessions, and warnings.

    Sessions are sorted by time, since those in the oracle's file are not. Their names are by id.
    """
    lists = [whole[name].items() for name in _SESSION_LISTS]
    for name, listed in zip(_SESSION_LISTS, lists, strict=True):
        if len(listed) != len(lists[0]):
            expected = f"{len(lists[0])}, one for each session"
            raise whole[name].fault(expected, write_count(len(listed), "item"))
    names, dates = [one.of(str) for one in lists[1]], [_date(one) for one in lists[2]]
    order, times, problems = _order_sessions(lists[2])
    history, evidence, sessions = HistoryBuilder(), list[str](), dict[str, str]()
    for i in order:
        turns = lists[0][i].items()
        ignored["sessions without a turn"] += not turns
        if turns:
            sessions.setdefault(names[i], f"session_{len(sessions) + 1}")
        for number, turn in enumerate(turns, start=1):
            role, session = turn["role"].of(str), sessions[names[i]]
            said, marked = turn["content"].of(str), turn["has_answer"]
            history.add(f"Chat Time: {dates[i]}\n{role}: ")
            history.say(session, f"{session}:{number}", said, times[i], role=role)
            history.add("\n\n")
            if marked.value not in (None, False, True):
                raise marked.fault("true or false")
            if marked.value:
                evidence.append(history.turns[-1]["id"])
            ignored.update(key for key in turn.value if key not in _TURN_FIELDS)
    return history, evidence, sessions, problems


FORMAT = DataFormat(
    sources=(SOURCE,),
    published="a file such as longmemeval_s.json",
    fields=_FIELDS,
    items="questions",
    rows=partial(row_of, split=SOURCE.split, read=_row),
)
