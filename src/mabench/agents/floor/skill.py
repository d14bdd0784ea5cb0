"""What a skill of the floor agent is, and the history that it learns from."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

from mabench.contract.interfaces import Answer, Query
from mabench.models import Embedder


@dataclass(frozen=True)
class History:
    """What the agent was told, in the order of telling.

    Attributes:
        chunks: the chunks as they came.
        embedder: matches words to meanings; None without.
    """

    chunks: tuple[str, ...]
    embedder: Embedder | None = None

    @cached_property
    def text(self) -> str:
        """All chunks with a line break after each: what a chunk cut apart is whole again."""
        return "\n".join(self.chunks)


class Skill(Protocol):
    """A way to answer the questions of one kind about one kind of material."""

    def answer(self, query: Query) -> Answer | None:
        """Answer ``query`` within its budget; None when this skill cannot tell."""
        ...


# Makes a skill out of a history; None when the history is not of the kind that it is for.
Learn = Callable[[History], Skill | None]
