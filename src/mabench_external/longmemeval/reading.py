"""What the description of LongMemEval cannot say: which turns and sessions hold an answer."""

from __future__ import annotations

from collections.abc import Iterator

from mabench.data.descriptions.asked import ToldHistory
from mabench.data.descriptions.parts import JsonPart
from mabench.data.problems import Problem

# In the id of a question that cannot be answered, and so has no evidence.
_UNANSWERABLE = "_abs"


def evidence(question: JsonPart, history: ToldHistory) -> Iterator[str | Problem]:
    """Yield the marked turns and the named sessions, and warnings about unknown sessions."""
    has_some = _UNANSWERABLE not in question["question_id"].of(str)
    if has_some:
        yield from (turn.id for turn in history.turns if turn.is_marked)
    for session in question["answer_session_ids"].items():
        name = session.of(str)
        if has_some:
            yield history.sessions.get(name, name)
        if name not in history.sessions:
            expected = "the id of a session of the history; others tell no evidence"
            yield session.doubt(expected)
