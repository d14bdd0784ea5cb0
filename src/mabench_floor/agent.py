"""The agent: keeps what it is told and answers with the first skill that can."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from typing import ClassVar

from mabench.contract.interfaces import Answer, Query
from mabench.models import make_embedder
from mabench_floor.skill import History, SkillSet


class FloorAgent:
    """The strongest agent without a language model: works out what the text is, and answers.

    Each skill tells from the text what kind of material the chunks hold and what kind of answer
    is wanted.

    Args:
        embeddings: a model that matches words to meanings, as ``make_embedder`` takes it; none
            when None.
        evidence: whether an answer from documents is followed, on lines of its own, by the
            sentences that it was read from. Without, they stand in what was retrieved alone.
    """

    mabench_capabilities: ClassVar[Mapping[str, object]] = {
        "deterministic": True,
        "embeds": True,
        "packages": lambda settings: ("scikit-learn",),
    }

    def __init__(self, embeddings: str | None = None, evidence: bool = False) -> None:
        self._embedder = make_embedder(embeddings) if embeddings else None
        self._evidence = evidence
        self._chunks: list[str] = []
        self._skills: SkillSet | None = None
        self._lock = threading.Lock()

    def memorize(self, chunk: str) -> None:
        """Keep the chunk; what was learnt before is learnt anew."""
        self._chunks.append(chunk)
        self._skills = None

    def answer(self, query: Query) -> Answer:
        """Answer within the budget with the first skill that can."""
        with self._lock:  # Skills learn while they answer.
            if self._skills is None:
                self._skills = SkillSet(
                    History(tuple(self._chunks), self._embedder, evidence=self._evidence)
                )
            return self._skills.answer(query)
