"""The record of one call to a model: who made it, when, and how it ended."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

if TYPE_CHECKING:
    from mabench.models.usage import Usage


class CallPhase(NamedTuple):
    """What the run was doing with the row when a call was made."""

    # ``late`` is after the row was done; ``judging`` happens long after the run.
    name: Literal["preflight", "memorizing", "answering", "late", "judging"]
    question: int | None = None  # Its index within the row; None for none, or for several at once.


Caller = Literal["memory", "reader", "judge"]


class Call(NamedTuple):
    """One call to a model's server; a field is None when its value is unknown."""

    name: str  # Unique; the same in the record of the beginning and of the end.
    phase: CallPhase
    path: str  # Such as ``chat/completions``.
    model: str | None
    by: Caller
    again: bool = False  # The same call had failed before.
    ended: bool = False  # The fields below are set only once it has ended.
    status: int | None = None
    error: str | None = None  # Why there was no complete and usable reply.
    usage: Usage | None = None
    cost: float | None = None  # US dollars.
    seconds: float = 0.0  # From the call to the end of the reply.
    kept: bool = False  # A cached reply answered it: no request was sent, and it costs nothing.
    reply: str | None = None  # The key of its reply in the cache.

    @property
    def failed(self) -> bool:
        """Whether the call has ended without a complete and usable reply."""
        return self.error is not None or (self.status or 200) >= 400
