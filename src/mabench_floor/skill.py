"""The interface of a skill, the history that it learns from, and the choice among skills."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Protocol

from mabench.agents import UNKNOWN
from mabench.contract.interfaces import Answer, Query
from mabench.installation import import_lock
from mabench.models import Embedder
from mabench.text import truncate_tokens

# Modules that learn a skill, imported when a question is asked: the most particular first. What
# takes long to import, they import once a history and a question are of their kind.
_SKILLS = (
    "events",
    "options",
    "recommendation.skill",
    "facts.skill",
    "labels.skill",
    "qa.skill",
)


@dataclass(frozen=True)
class History:
    """The texts from which questions are answered.

    Attributes:
        chunks: the texts, in the order of the history; passages come the best first.
        embedder: compares words by meaning; None for none.
        passages: whether the texts are passages found for one question, and not a whole history.
            They are not adjacent, and a skill learns only what that question needs.
        evidence: whether answers from documents are followed by the sentences that they came from.
    """

    chunks: tuple[str, ...]
    embedder: Embedder | None = None
    passages: bool = False
    evidence: bool = False

    @cached_property
    def text(self) -> str:
        """All chunks, with a line break after each, so that what was cut apart is whole again.

        Passages are separated by blank lines.
        """
        return ("\n\n" if self.passages else "\n").join(self.chunks)


class Skill(Protocol):
    """A way to answer questions of one kind about histories of one kind."""

    def answer(self, query: Query) -> Answer | None:
        """Answer a query within its token budget; None if this skill cannot."""
        ...


# Makes a skill out of a history; None when the history is not of the kind that it is for.
Learn = Callable[[History], Skill | None]


class SkillSet:
    """All skills for one history; each is learned when no skill before it could answer.

    Only one question may be answered at a time.
    """

    def __init__(self, history: History) -> None:
        self._history = history
        self._learnt: list[Skill | None] = []

    def answer(self, query: Query) -> Answer:
        """Answer within the token budget, with the first skill that can."""
        answer = self._first_answer(query) or Answer(UNKNOWN)
        return replace(answer, text=truncate_tokens(answer.text, query.max_tokens))

    def _first_answer(self, query: Query) -> Answer | None:
        """Return the answer of the first skill that can; None if none can."""
        for skill in self._skills():
            answer = skill.answer(query)
            if answer is not None:
                return answer
        return None

    def _skills(self) -> Iterator[Skill]:
        """Yield the skills that fit the history, and learn each when it is needed.

        ``_learnt`` has those learned for earlier questions, in the order of ``_SKILLS``.
        """
        for place, module in enumerate(_SKILLS):
            if place == len(self._learnt):
                learn = _learner(module)
                self._learnt.append(learn(self._history))
            skill = self._learnt[place]
            if skill is not None:
                yield skill


def _learner(module: str) -> Learn:
    """Import a module of a skill, and return what learns the skill."""
    with import_lock:
        learn: Learn = importlib.import_module(f"{__package__}.{module}").learn
    return learn
