"""The calls that go out to models, with what is known of each: who made it, when, and its end."""

from __future__ import annotations

from typing import Literal, NamedTuple

from mabench.models.usage import Usage


class CallPhase(NamedTuple):
    """When a call was made, as far as the row is concerned."""

    # Late once the row was done; judging long after.
    name: Literal["preflight", "memorizing", "answering", "late", "judging"]
    question: int | None = None  # The index of the one under way; None for none, or for several.


Caller = Literal["memory", "reader", "judge"]


class Call(NamedTuple):
    """One call that went out to a model's server; None means that something is not known."""

    name: str  # The same when it begins and when it has ended; no other call has it.
    phase: CallPhase
    path: str  # Such as ``chat/completions``.
    model: str | None
    by: Caller
    again: bool = False  # The same call had failed before.
    ended: bool = False  # What follows is not known before.
    status: int | None = None
    error: str | None = None  # Why there was no whole or usable reply, in words.
    usage: Usage | None = None
    cost: float | None = None  # US dollars.
    seconds: float = 0.0  # From the call to the end of the reply.
    kept: bool = False  # A kept reply answered it: nothing went out, and it costs nothing.
    reply: str | None = None  # The name under which its reply is kept.

    @property
    def failed(self) -> bool:
        """Whether the call has ended without the whole of a good reply."""
        return self.error is not None or (self.status or 200) >= 400
