"""The agent: it keeps the history and answers with the first skill that can."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from typing import ClassVar

from mabench.contract.interfaces import Answer, Query
from mabench.models import make_embedder
from mabench_floor.skill import History, SkillSet


class FloorAgent:
    """The strongest agent without a language model.

    Each skill decides from the text which kind of history it is and which kind of answer is asked
    for.

    Args:
        embeddings: an embedding model to compare words by meaning, as for ``make_embedder``; None
            for none.
        evidence: whether an answer from documents is followed, on lines of its own, by the
            sentences from which it was read. Otherwise they are only among the retrieved texts.
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
        """Keep a chunk; what was learned before is discarded."""
        self._chunks.append(chunk)
        self._skills = None

    def answer(self, query: Query) -> Answer:
        """Answer within the token budget, with the first skill that can."""
        with self._lock:  # Skills learn while they answer.
            if self._skills is None:
                self._skills = SkillSet(
                    History(tuple(self._chunks), self._embedder, evidence=self._evidence)
                )
            return self._skills.answer(query)
