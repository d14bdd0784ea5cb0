"""What a memory tells of itself: how many memories it holds, and how many bytes they take."""

from __future__ import annotations

from collections.abc import Mapping
from numbers import Integral
from typing import NamedTuple


class Stats(NamedTuple):
    """What a memory holds; None where it does not say."""

    memories: int | None = None
    bytes: int | None = None


def stats_of(told: object) -> Stats:
    """Return what ``stats()`` returned as a :class:`Stats`.

    The figures are for diagnosis alone, so what is no count is taken for not told.
    """
    if not isinstance(told, Mapping):
        return Stats()
    return Stats(_count(told.get("memories")), _count(told.get("bytes")))


def _count(value: object) -> int | None:
    if isinstance(value, bool) or not isinstance(value, Integral) or value < 0:
        return None
    return int(value)
