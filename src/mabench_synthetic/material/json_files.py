"""Makes rows from a user's JSON: paragraphs with questions in the form of SQuAD, or dated chats."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import BaseModel, ConfigDict, ValidationError

from mabench.data.problems import describe
from mabench.data.schema import RowContent, Turn
from mabench.errors import DataError, faults_of, reason
from mabench.text import estimate_tokens
from mabench.userfile import read_json_file
from mabench_synthetic.families.longmemeval.generator import context_literal, dated_question
from mabench_synthetic.generator import QAPair, row_content
from mabench_synthetic.language import time_stamp
from mabench_synthetic.material.reading import Faults, MaterialSpec, fitting


def _read_json(path: Path) -> Any:
    """Return the content of a JSON file.

    Raises:
        DataError: when it cannot be read.
    """
    try:
        return read_json_file(path)
    except (OSError, ValueError) as error:
        raise DataError(f"{path}: not a readable JSON file: {reason(error)}") from error


_HEADER_TOKENS = 5


class _Paragraph(NamedTuple):
    """A paragraph on one line, and its questions."""

    text: str
    pairs: tuple[QAPair, ...]


def read_squad(path: Path, spec: MaterialSpec) -> RowContent:
    """Return one row: the paragraphs as numbered documents, and questions about them.

    The file is ``{"data": [{"paragraphs": [{"context", "qas": [{"question", "answers":
    [{"text"}]}]}]}]}``; questions marked ``is_impossible`` are left out. Paragraphs are shuffled;
    only as many are used as fit into ``spec.tokens``.

    Raises:
        DataError: naming every entry that is not so, or whose answer is not in its paragraph.
    """
    faults = Faults(path)
    paragraphs = {p.text: p for p in _paragraphs(_read_json(path), faults)}
    faults.raise_if_any()
    rng = spec.random_stream()
    shuffled = rng.sample(list(paragraphs.values()), len(paragraphs))
    chosen = fitting(shuffled, spec.tokens, lambda p: estimate_tokens(p.text) + _HEADER_TOKENS)
    pairs = {pair.question: pair for paragraph in chosen for pair in paragraph.pairs}
    if not pairs:
        raise DataError(f"{path}: no answerable question; add 'qas' with answers")
    questions = rng.sample(list(pairs.values()), min(spec.questions, len(pairs)))
    documents = "\n\n".join(f"Document {i}:\n{p.text}" for i, p in enumerate(chosen, start=1))
    return row_content("ruler_qa1_197K", documents, questions)


def _paragraphs(content: Any, faults: Faults) -> Iterator[_Paragraph]:
    """Yield the paragraphs of a file with their questions; note everything that is wrong."""
    articles = content.get("data") if isinstance(content, dict) else content
    if not isinstance(articles, list):
        faults.add(
            "the file",
            "no list 'data'",
            "give it the form of SQuAD: docs/guides/generate-rows.md",
        )
        return
    for a, article in enumerate(articles):
        paragraphs = article.get("paragraphs") if isinstance(article, dict) else None
        if not isinstance(paragraphs, list):
            faults.add(f"data[{a}]", "no list 'paragraphs'", "add it")
            continue
        for p, paragraph in enumerate(paragraphs):
            place = f"data[{a}].paragraphs[{p}]"
            text = paragraph.get("context") if isinstance(paragraph, dict) else None
            if not isinstance(text, str) or not text.strip():
                faults.add(f"{place}.context", "no text", "add the paragraph")
                continue
            squeezed = " ".join(text.split())
            yield _Paragraph(squeezed, tuple(_pairs(paragraph, squeezed, place, faults)))


def _pairs(paragraph: dict[str, Any], text: str, place: str, faults: Faults) -> Iterator[QAPair]:
    """Yield the questions of a paragraph with their golds; note everything that is wrong."""
    for q, entry in enumerate(paragraph.get("qas") or ()):
        where = f"{place}.qas[{q}]"
        if not isinstance(entry, dict) or not isinstance(entry.get("question"), str):
            faults.add(where, "no 'question'", "add it as a string")
        elif not entry.get("is_impossible"):
            answers = [a.get("text") for a in entry.get("answers") or () if isinstance(a, dict)]
            golds = tuple(" ".join(a.split()) for a in answers if isinstance(a, str) and a.strip())
            if not golds:
                faults.add(f"{where}.answers", "no answer with a 'text'", "add one")
            elif golds[0] not in text:
                faults.add(f"{where}.answers[0]", "not in the paragraph", "quote it as it stands")
            else:
                yield QAPair(" ".join(entry["question"].split()), golds)


_FORM = (
    "an object with the lists 'sessions' and 'questions': docs/guides/generate-rows.md describes it"
)


class _Entry(BaseModel):
    model_config = ConfigDict(extra="forbid")


class _ChatMessage(_Entry):
    role: str
    content: str


class _Session(_Entry):
    date: datetime
    turns: list[_ChatMessage]


class _ChatQuestion(_Entry):
    question: str
    answer: str | list[str]
    type: str = "single-session-user"
    date: datetime | None = None
    evidence: list[tuple[int, int]] = []
    abstain: bool = False


class _Chats(_Entry):
    sessions: list[_Session]
    questions: list[_ChatQuestion]


def read_chats(path: Path, spec: MaterialSpec) -> RowContent:
    """Return one row: all sessions in the order of time, and the questions.

    The file is ``{"sessions": [{"date", "turns": [{"role", "content"}]}], "questions":
    [{"question", "answer", "type", "date", "evidence", "abstain"}]}``. Dates are in ISO 8601;
    ``answer`` is a string or a list of them; ``evidence`` lists ``[session, turn]``, both from 0;
    ``abstain`` marks a question that cannot be answered. The last four may be left out.

    Raises:
        DataError: naming every entry that is not so.
    """
    chats = _chats_of(path)
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
    pairs = [
        QAPair(
            dated_question(date, one.question),
            (one.answer,) if isinstance(one.answer, str) else tuple(one.answer),
        )
        for one, date in zip(questions, dates, strict=True)
    ]
    return row_content(
        "longmemeval_s*",
        context_literal([session.date for session in sessions], turns),
        pairs,
        question_dates=dates,
        question_ids=[
            f"own{i}_abs" if question.abstain else f"own{i}" for i, question in enumerate(questions)
        ],
        question_types=[one.type for one in questions],
        haystack_sessions=[_haystack(one, place, turns) for one in questions],
    )


def _chats_of(path: Path) -> _Chats:
    """Return the chats in a file, or raise a ``DataError`` with everything that is wrong."""
    faults = Faults(path)
    content = _read_json(path)
    if not isinstance(content, dict):
        raise DataError(f"{path}: found {describe(content)}; the file holds {_FORM}")
    try:
        chats = _Chats.model_validate(content)
    except ValidationError as error:
        for fault in faults_of(error, _Chats):
            where, _, wrong = fault.partition(": ")
            faults.add(where, wrong, "see docs/guides/generate-rows.md for the form")
        faults.raise_if_any()
        raise
    if len({session.date.tzinfo is None for session in chats.sessions}) > 1:
        faults.add("sessions", "some dates have a time zone", "give one to each or to none")
    for q, question in enumerate(chats.questions):
        for s, t in question.evidence:
            if not (0 <= s < len(chats.sessions) and 0 <= t < len(chats.sessions[s].turns)):
                missing = f"there is no turn [{s}, {t}]"
                faults.add(f"questions.{q}.evidence", missing, "count from 0")
    faults.raise_if_any()
    if not chats.sessions or not chats.questions:
        raise DataError(f"{path}: no sessions or no questions; add them")
    return chats


def _haystack(
    question: _ChatQuestion, place: Mapping[int, int], turns: list[list[Turn]]
) -> list[list[Turn]]:
    """Return the sessions that an answer needs, with this question's own gold turns."""
    golds = {(place[s], t) for s, t in question.evidence}
    return [
        [{**turn, "has_answer": (s, t) in golds} for t, turn in enumerate(turns[s])]
        for s in sorted({session for session, _ in golds})
    ]
