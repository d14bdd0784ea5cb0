"""The reader of memories that needs no language model."""

from __future__ import annotations

from collections.abc import Sequence

from mabench.contract.interfaces import Passage, Query
from mabench_floor.skill import History, SkillSet


class SkillReader:
    """Answers without a language model, with the skills of the floor, learned from the passages.

    It knows only the passages, and keeps nothing from one question to the next.
    """

    def read(self, query: Query, passages: Sequence[Passage]) -> str:
        """Answer a query from passages, within its token budget by the estimate."""
        texts = tuple(passage.text for passage in passages)
        return SkillSet(History(texts, passages=True)).answer(query).text
