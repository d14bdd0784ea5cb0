"""What is known of the calls of models, and what they cost: told as they begin and as they end."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Hashable
from contextvars import ContextVar
from time import monotonic
from typing import Any, Literal, NamedTuple

from mabench.models.usage import Usage


class CallPhase(NamedTuple):
    """When a call was made, as far as the row is concerned."""

    name: Literal["preflight", "memorizing", "answering", "late"]  # Late once the row was done.
    question: int | None = None  # The index of the one under way; None for none, or for several.


class Call(NamedTuple):
    """One call that went out to a model's server; None stands for what is not known."""

    name: str  # The same when it begins and when it has ended; no other call has it.
    phase: CallPhase
    path: str  # Such as ``chat/completions``.
    model: str | None
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


class CallLog:
    """Tells of the calls of one piece of work, when each begins and when it has ended."""

    def __init__(self, tell: Callable[[Call], object], phase: CallPhase) -> None:
        self.phase = phase
        self._tell = tell
        self._name = secrets.token_hex(6)
        self._calls = 0
        self._failed: set[int] = set()

    def begin(self, path: str, model: str | None, request: Hashable) -> Callable[..., None]:
        """Tell that a call begins; return what tells that it has ended, and its outcome."""
        mark, began = hash(request), monotonic()
        call = self._next(path, model)._replace(again=mark in self._failed)
        self._tell(call)

        def end(**outcome: Any) -> None:
            ended = call._replace(ended=True, seconds=monotonic() - began, **outcome)
            (self._failed.add if ended.failed else self._failed.discard)(mark)
            self._tell(ended)

        return end

    def replay(self, path: str, model: str | None, **outcome: Any) -> None:
        """Tell of a call that a kept reply has answered, with its ``usage`` and ``reply``."""
        self._tell(self._next(path, model)._replace(ended=True, cost=0.0, kept=True, **outcome))

    def _next(self, path: str, model: str | None) -> Call:
        self._calls += 1
        return Call(f"{self._name}-{self._calls}", self.phase, path, model)


class Bill:
    """US dollars that were ``paid`` for replies; ``wasted`` is the part for those of no use."""

    def __init__(self, log: CallLog | None = None) -> None:
        self.log = log
        self.paid: float | None = None  # None when no model with a price was asked.
        self.wasted = 0.0

    def add(self, dollars: float, wasted: bool = False) -> None:
        """Add what a reply cost."""
        self.paid = (self.paid or 0.0) + dollars
        if wasted:
            self.wasted += dollars


# On which the replies come that are asked for now, and in tasks begun now; None for no bill.
current_bill: ContextVar[Bill | None] = ContextVar("current_bill", default=None)
