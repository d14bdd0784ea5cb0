"""The statement that answers a question best."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from mabench.agents.floor.answer_types import new_things, wanted
from mabench.agents.extractive.statements import Statement, statements_in
from mabench.agents.extractive.weights import idf, total
from mabench.text.stems import content_words

_AROUND = 0.5  # What a shared word counts for that only the rest of the paragraph has.
_KIND = 1.5  # What a statement with a name, date or number counts for where one is asked for.
_AS_GOOD = 0.97


class _Candidate(NamedTuple):
    score: float
    serial: int
    rank: int
    place: int
    text: str


def best_statement(question: str, texts: Sequence[str]) -> str | None:
    """Return the statement of ``texts`` that shares most with ``question``; None if none does.

    Shared words weigh by their rarity. Among statements about as good as the best, the one
    with the largest serial number wins, else the last one of the passage that ranked first:
    what was said later supersedes what was said before.
    """
    candidates = _candidates(question, [statements_in(text) for text in texts])
    best = max((candidate.score for candidate in candidates), default=0.0)
    if not best:
        return None
    as_good = (candidate for candidate in candidates if candidate.score >= _AS_GOOD * best)
    return max(as_good, key=lambda found: (found.serial, -found.rank, found.place)).text


def _candidates(question: str, passages: Sequence[Sequence[Statement]]) -> list[_Candidate]:
    asked = content_words(question)
    weights = idf(asked, [statement.words for passage in passages for statement in passage])
    kind = wanted(question)
    found = []
    for rank, passage in enumerate(passages):
        for place, statement in enumerate(passage):
            score = _overlap(statement, weights)
            if score and kind and new_things(kind, statement.text, asked):
                score *= _KIND
            found.append(_Candidate(score, statement.serial or 0, rank, place, statement.text))
    return found


def _overlap(statement: Statement, weights: Mapping[str, float]) -> float:
    shared = statement.words & weights.keys()
    around = (statement.around & weights.keys()) - shared
    return total(shared, weights) + _AROUND * total(around, weights)
