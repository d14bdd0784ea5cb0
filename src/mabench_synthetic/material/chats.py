"""LongMemEval rows over a user's chats: dated sessions, and questions about them."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from pathlib import Path

from pydantic import BaseModel, ConfigDict, ValidationError

from mabench.data.records import describe
from mabench.data.schema import RowContent, Turn
from mabench.errors import DataError
from mabench.suggestions import faults_of
from mabench_synthetic.families.longmemeval.generator import context_literal, dated_question
from mabench_synthetic.generator import QAPair, row_content
from mabench_synthetic.language import time_stamp
from mabench_synthetic.material.reading import Faults, MaterialSpec, read_json

_SOURCE = "longmemeval_s*"
_FORM = (
    "an object with the lists 'sessions' and 'questions': docs/explanation/made-up-rows.md "
    "describes it"
)


class _Entry(BaseModel):
    model_config = ConfigDict(extra="forbid")


class _Message(_Entry):
    role: str
    content: str


class _Session(_Entry):
    date: datetime
    turns: list[_Message]


class _Question(_Entry):
    question: str
    answer: str | list[str]
    type: str = "single-session-user"
    date: datetime | None = None
    evidence: list[tuple[int, int]] = []
    abstain: bool = False


class _Chats(_Entry):
    sessions: list[_Session]
    questions: list[_Question]


def read(path: Path, spec: MaterialSpec) -> RowContent:
    """Return one row: all sessions in the order of time, and the questions.

    The file is ``{"sessions": [{"date", "turns": [{"role", "content"}]}], "questions":
    [{"question", "answer", "type", "date", "evidence", "abstain"}]}``. Dates are in ISO 8601;
    ``answer`` is a string or a list of them; ``evidence`` lists ``[session, turn]``, both from 0;
    ``abstain`` marks a question that cannot be answered. The last four may be left out.

    Raises:
        DataError: naming every entry that is not so.
    """
    chats = _read(path)
    order = sorted(range(len(chats.sessions)), key=lambda i: chats.sessions[i].date)
    place = {old: new for new, old in enumerate(order)}
    sessions = [chats.sessions[i] for i in order]
    golds = {(place[s], t) for question in chats.questions for s, t in question.evidence}
    turns = [
        [
            Turn(role=message.role, content=message.content, has_answer=(s, t) in golds)
            for t, message in enumerate(session.turns)
        ]
        for s, session in enumerate(sessions)
    ]
    rng = spec.random_stream()
    count = min(spec.questions, len(chats.questions))
    chosen = sorted(rng.sample(range(len(chats.questions)), count))
    questions = [chats.questions[i] for i in chosen]
    dates = [time_stamp(one.date or sessions[-1].date) for one in questions]
    return row_content(
        _SOURCE,
        context_literal([session.date for session in sessions], turns),
        [_pair(one, date) for one, date in zip(questions, dates, strict=True)],
        question_dates=dates,
        question_ids=[f"own{i}{'_abs' * one.abstain}" for i, one in enumerate(questions)],
        question_types=[one.type for one in questions],
        haystack_sessions=[_haystack(one, place, turns) for one in questions],
    )


def _read(path: Path) -> _Chats:
    faults = Faults(path)
    content = read_json(path)
    if not isinstance(content, dict):
        raise DataError(f"{path}: found {describe(content)}; the file holds {_FORM}")
    try:
        chats = _Chats.model_validate(content)
    except ValidationError as error:
        for fault in faults_of(error, _Chats):
            where, _, wrong = fault.partition(": ")
            faults.add(where, wrong, "see docs/explanation/made-up-rows.md for the form")
        faults.raise_if_any()
        raise
    for q, question in enumerate(chats.questions):
        for s, t in question.evidence:
            if not (0 <= s < len(chats.sessions) and 0 <= t < len(chats.sessions[s].turns)):
                missing = f"there is no turn [{s}, {t}]"
                faults.add(f"questions.{q}.evidence", missing, "count from 0")
    faults.raise_if_any()
    if not chats.sessions or not chats.questions:
        raise DataError(f"{path}: no sessions or no questions; add them")
    return chats


def _pair(question: _Question, date: str) -> QAPair:
    answer = question.answer
    answers = (answer,) if isinstance(answer, str) else tuple(answer)
    return QAPair(dated_question(date, question.question), answers)


def _haystack(
    question: _Question, place: Mapping[int, int], turns: list[list[Turn]]
) -> list[list[Turn]]:
    """Return the sessions that an answer rests on, with this question's own gold turns."""
    golds = {(place[s], t) for s, t in question.evidence}
    return [
        [{**turn, "has_answer": (s, t) in golds} for t, turn in enumerate(turns[s])]
        for s in sorted({session for session, _ in golds})
    ]
