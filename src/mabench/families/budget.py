"""How long chunks and answers may be under each protocol."""

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
    """How long chunks and answers may be, in tokens."""

    chunk_tokens: int
    answer_tokens: int


def set_budgets(
    paper: tuple[int, int], repository: tuple[int, int]
) -> Mapping[ProtocolName, Budget]:
    """Return the budgets of every protocol, sizes and lengths; ours has those of the paper."""
    others = {ProtocolName.REPOSITORY: Budget(*repository)}
    return {name: Budget(*paper) for name in ProtocolName} | others
