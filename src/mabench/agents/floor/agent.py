"""The agent: keeps what it is told and answers with the first skill that can."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from dataclasses import replace

from mabench.agents.floor.skill import History, Learn, Skill
from mabench.contract.interfaces import Answer, Query
from mabench.models import make_embedder
from mabench.text import truncate_tokens

# Functions of this package that learn a skill, imported when a question is asked: the most
# particular first. The last one learns from any history and answers any question.
_SKILLS = (
    "continuing:learn",
    "choosing:learn",
    "recommending:learn",
    "summarising:learn",
    "facts:learn",
    "demonstrations.skill:learn",
    "finding:learn",
    "fallback:learn",
)


class FloorAgent:
    """The strongest agent without a language model: finds out what it was told, and answers.

    What kind of material the chunks hold and what kind of answer is wanted, each skill tells
    from the text. A skill is learnt when a question comes that no skill before it can answer.

    Args:
        embeddings: a model that matches words to meanings, as ``make_embedder`` takes it; none
            when None.
    """

    def __init__(self, embeddings: str | None = None) -> None:
        self._embedder = make_embedder(embeddings) if embeddings else None
        self._chunks: list[str] = []
        self._learnt: list[Skill | None] = []
        self._history = History((), self._embedder)

    def memorize(self, chunk: str) -> None:
        """Keep the chunk; what was learnt before is learnt anew."""
        self._chunks.append(chunk)
        self._learnt.clear()

    def answer(self, query: Query) -> Answer:
        """Answer within the budget with the first skill that can."""
        answers = (skill.answer(query) for skill in self._skills())
        answer = next(answer for answer in answers if answer is not None)
        return replace(answer, text=truncate_tokens(answer.text, query.max_tokens))

    def _skills(self) -> Iterator[Skill]:
        if not self._learnt:
            self._history = History(tuple(self._chunks), self._embedder)
        for place, name in enumerate(_SKILLS):
            if place == len(self._learnt):
                self._learnt.append(_learner(name)(self._history))
            skill = self._learnt[place]
            if skill is not None:
                yield skill


def _learner(name: str) -> Learn:
    module, _, function = name.partition(":")
    learn: Learn = getattr(importlib.import_module(f"{__package__}.{module}"), function)
    return learn
