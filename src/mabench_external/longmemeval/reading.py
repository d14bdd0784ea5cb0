"""Says which turns and sessions of a history hold the answer of a question (LongMemEval).

``description.toml`` says how the files become rows, and names the function here for what it cannot
express. A ``JsonPart`` is a value of a file with its place: ``part["question_id"].of(str)`` is the
string in its field ``question_id``, or a ``FieldError``.
"""

from __future__ import annotations

from collections.abc import Iterator

from mabench.data.descriptions.asked import ToldHistory
from mabench.data.descriptions.parts import JsonPart
from mabench.data.problems import Problem

# In the id of a question that cannot be answered, and so has no evidence.
_UNANSWERABLE = "_abs"


def evidence(question: JsonPart, history: ToldHistory) -> Iterator[str | Problem]:
    """Yield the ids of the turns that the file marks, then of the sessions that a question names.

    A question that cannot be answered has no evidence. Each session that the history lacks gives a
    warning. ``history.sessions`` has the ids of sessions in rows by those in the file.
    """
    is_answerable = _UNANSWERABLE not in question["question_id"].of(str)
    if is_answerable:
        for turn in history.turns:
            if turn.is_marked:
                yield turn.id
    for session in question["answer_session_ids"].items():
        id_in_file = session.of(str)
        if is_answerable:
            yield history.sessions.get(id_in_file, id_in_file)
        if id_in_file not in history.sessions:
            yield session.doubt("the id of a session of the history; others tell no evidence")
