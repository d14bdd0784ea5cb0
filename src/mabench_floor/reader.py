"""The reader of memories that needs no language model."""

from __future__ import annotations

from collections.abc import Sequence

from mabench.contract.interfaces import Passage, Query
from mabench_floor.skill import History, SkillSet


class SkillReader:
    """Answers without a language model: with the skills of the floor, learnt from the passages.

    The passages are all that it knows; it keeps nothing from one question to the next.
    """

    def read(self, query: Query, passages: Sequence[Passage]) -> str:
        """Answer ``query`` from ``passages``, within ``query.max_tokens`` by the estimate."""
        texts = tuple(passage.text for passage in passages)
        return SkillSet(History(texts, passages=True)).answer(query).text
