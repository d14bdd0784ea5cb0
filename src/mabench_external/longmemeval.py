"""LongMemEval (``longmemeval_s.json``, ``_m``, ``_oracle``): one history for each question.

The file is a list of questions, each of which becomes a row. Every turn stands behind the date of
its session, so that a chunk tells when its turns were said; which turns hold the answer is kept
apart from the history. So are the ids of sessions, some of which begin with ``answer``: sessions
are numbered instead.
"""

from __future__ import annotations

from collections import Counter
from functools import partial

from mabench.data.inventory import FileFormat, Source
from mabench.data.records import Problem, Record
from mabench.printable import write_count
from mabench_external.parts import History, Part, left_out, row_of

SOURCE = Source("longmemeval", split="LongMemEval", family="longmemeval")
_FIELDS = frozenset({"question_id", "question", "haystack_sessions"})

_SESSION_LISTS = ("haystack_sessions", "haystack_session_ids", "haystack_dates")
_KNOWN = _FIELDS | {
    *("question_type", "answer", "question_date", "answer_session_ids"),
    *_SESSION_LISTS,
}
_TURN_FIELDS = frozenset({"role", "content", "has_answer"})
_UNANSWERABLE = "_abs"
# What a row has in place of what is left out.
_KEPT = {"sessions without a turn": "sessions in which something was said"}
_NO_OTHER = "the fields of turns, the question and its evidence"


def _row(record: Record) -> tuple[dict[str, object], list[Problem]]:
    whole = Part(record, record.content)
    name, date = whole["question_id"].of(str), whole["question_date"].of(str)
    question = whole["question"].text()
    ignored = Counter(key for key in whole.value if key not in _KNOWN)
    history, evidence, sessions = _history(whole, ignored)
    problems: list[Problem] = []
    for session in whole["answer_session_ids"].items():
        evidence.append(sessions.get(session.of(str), session.value))
        if session.value not in sessions:
            expected = "the id of a session of the history; others tell no evidence"
            problems.append(session.doubt(expected))
    metadata = {
        "source": SOURCE.name,
        "qa_pair_ids": [name],
        "question_ids": [name],
        "question_dates": [date],
        "question_types": [whole["question_type"].of(str)],
    }
    row = {
        "context": history.text,
        # As the rows of the hub ask, which tell the day of the question.
        "questions": [f"Current Date: {date},\n\n Now Answer the Question: {question}"],
        "answers": [[whole["answer"].answer()]],
    }
    problems += history.check(record)
    problems += left_out(record, ignored, _KEPT, _NO_OTHER)
    # What a question that cannot be answered is about is no evidence.
    own = [] if _UNANSWERABLE in name else list(dict.fromkeys(evidence))
    return {**row, "metadata": metadata, "turns": history.turns, "evidence": [own]}, problems


def _history(whole: Part, ignored: Counter[str]) -> tuple[History, list[str], dict[str, str]]:
    """Return the sessions by date, the ids of the turns that hold the answer, and names by id."""
    lists = [whole[name].items() for name in _SESSION_LISTS]
    for name, listed in zip(_SESSION_LISTS, lists, strict=True):
        if len(listed) != len(lists[0]):
            expected = f"{len(lists[0])}, one for each session"
            raise whole[name].fault(expected, write_count(len(listed), "item"))
    names, dates = ([one.of(str) for one in listed] for listed in lists[1:])
    history, evidence, sessions = History(), list[str](), dict[str, str]()
    # The oracle's file has them in no order.
    for i in sorted(range(len(dates)), key=dates.__getitem__):
        turns = lists[0][i].items()
        ignored["sessions without a turn"] += not turns
        if turns:
            sessions.setdefault(names[i], f"session_{len(sessions) + 1}")
        for number, turn in enumerate(turns, start=1):
            role, session = turn["role"].of(str), sessions[names[i]]
            said, marked = turn["content"].of(str), turn["has_answer"]
            history.add(f"Chat Time: {dates[i]}\n{role}: ")
            history.say(session, f"{session}:{number}", said, dates[i], role=role)
            history.add("\n\n")
            if marked.value not in (None, False, True):
                raise marked.fault("true or false")
            if marked.value:
                evidence.append(history.turns[-1]["id"])
            ignored.update(key for key in turn.value if key not in _TURN_FIELDS)
    return history, evidence, sessions


FORMAT = FileFormat(
    sources=(SOURCE,),
    published="a file such as longmemeval_s.json",
    fields=_FIELDS,
    items="questions",
    rows=partial(row_of, split=SOURCE.split, read=_row),
)
