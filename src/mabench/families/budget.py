"""The sizes of chunks and answers under each protocol."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import NamedTuple


class ProtocolName(StrEnum):
    """The protocols: ``structured`` (ours), ``paper``, and ``repository`` (its published code)."""

    STRUCTURED = "structured"
    PAPER = "paper"
    REPOSITORY = "repository"


class Budget(NamedTuple):
    """The sizes of a chunk and of an answer, in tokens."""

    chunk_tokens: int
    answer_tokens: int


def set_budgets(
    paper: tuple[int, int], repository: tuple[int, int]
) -> Mapping[ProtocolName, Budget]:
    """Return the budgets by protocol; each pair is the tokens of a chunk and of an answer.

    Our own protocol has the budget of the paper.
    """
    return {
        ProtocolName.STRUCTURED: Budget(*paper),
        ProtocolName.PAPER: Budget(*paper),
        ProtocolName.REPOSITORY: Budget(*repository),
    }
