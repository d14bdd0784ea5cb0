"""What happened to a memory: operations as they were carried out."""

from __future__ import annotations

from dataclasses import dataclass, field

from mabench.stressing.operations import Operation


@dataclass(slots=True)
class Event:
    """An operation as it was carried out between two moments, and what it returned."""

    operation: Operation
    start: float  # In seconds of one clock.
    end: float
    texts: list[str] = field(default_factory=list)  # What a search or a list showed, in order.
    scores: list[float | None] = field(default_factory=list)  # How well each fits, if it says so.
    error: str | None = None  # How it failed; None if it did not.
    hung: bool = False  # Whether it failed by taking too long.
    alone: bool = True  # Whether nothing else was under way.
