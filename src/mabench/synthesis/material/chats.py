"""LongMemEval rows over a user's chats: dated sessions, and questions about them."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

from pydantic import BaseModel, ConfigDict, ValidationError

from mabench.data.schema import RowContent, Turn
from mabench.errors import DataError
from mabench.synthesis.english import time_stamp
from mabench.synthesis.longmemeval.rows import literal
from mabench.synthesis.material.request import Request
from mabench.synthesis.material.tables import Faults, read_json
from mabench.synthesis.rows import Item, row_content

_SOURCE = "longmemeval_s*"


class _Said(BaseModel):
    model_config = ConfigDict(extra="forbid")
    role: str
    content: str


class _Session(BaseModel):
    model_config = ConfigDict(extra="forbid")
    date: datetime
    turns: list[_Said]


class _Asked(BaseModel):
    model_config = ConfigDict(extra="forbid")
    question: str
    answer: str | list[str]
    type: str = "single-session-user"
    date: datetime | None = None
    evidence: list[tuple[int, int]] = []
    abstain: bool = False


class _Chats(BaseModel):
    model_config = ConfigDict(extra="forbid")
    sessions: list[_Session]
    questions: list[_Asked]


class _Place(NamedTuple):
    session: int
    turn: int


def read(path: Path, request: Request) -> list[RowContent]:
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
    golds = {_Place(place[s], t) for asked in chats.questions for s, t in asked.evidence}
    turns = [
        [
            Turn(role=said.role, content=said.content, has_answer=_Place(s, t) in golds)
            for t, said in enumerate(session.turns)
        ]
        for s, session in enumerate(sessions)
    ]
    rng = request.stream()
    count = min(request.questions, len(chats.questions))
    asked = [chats.questions[i] for i in sorted(rng.sample(range(len(chats.questions)), count))]
    dates = [time_stamp(one.date or sessions[-1].date) for one in asked]
    return [
        row_content(
            _SOURCE,
            literal([session.date for session in sessions], turns),
            [_item(one, date) for one, date in zip(asked, dates, strict=True)],
            question_dates=dates,
            question_ids=[f"own{i}{'_abs' * one.abstain}" for i, one in enumerate(asked)],
            question_types=[one.type for one in asked],
            haystack_sessions=[_haystack(one, place, turns) for one in asked],
        )
    ]


def _read(path: Path) -> _Chats:
    faults = Faults(path)
    try:
        chats = _Chats.model_validate(read_json(path))
    except ValidationError as error:
        for fault in error.errors():
            where = ".".join(map(str, fault["loc"])) or "the file"
            faults.add(where, fault["msg"], "see docs/synthesis.md for the form")
        faults.raise_if_any()
        raise
    for q, asked in enumerate(chats.questions):
        for s, t in asked.evidence:
            if not (0 <= s < len(chats.sessions) and 0 <= t < len(chats.sessions[s].turns)):
                faults.add(
                    f"questions.{q}.evidence", f"there is no turn [{s}, {t}]", "count from 0"
                )
    faults.raise_if_any()
    if not chats.sessions or not chats.questions:
        raise DataError(f"{path}: no sessions or no questions; add them")
    return chats


def _item(asked: _Asked, date: str) -> Item:
    answers = (asked.answer,) if isinstance(asked.answer, str) else tuple(asked.answer)
    return Item(f"Current Date: {date},\n\n Now Answer the Question: {asked.question}", answers)


def _haystack(asked: _Asked, place: Mapping[int, int], turns: list[list[Turn]]) -> list[list[Turn]]:
    """Return the sessions that an answer rests on, with this question's own gold turns."""
    golds = {_Place(place[s], t) for s, t in asked.evidence}
    return [
        [
            turn.model_copy(update={"has_answer": _Place(s, t) in golds})
            for t, turn in enumerate(turns[s])
        ]
        for s in sorted({gold.session for gold in golds})
    ]
