"""Who is told of calls of models, as each begins and ends."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Hashable
from contextvars import ContextVar
from time import monotonic
from typing import Any

from mabench.models.calls import Call, Caller, CallPhase


class CallLog:
    """Tells of the calls of one piece of work, when each begins and when it has ended."""

    def __init__(
        self, tell: Callable[[Call], object], phase: CallPhase, by: Caller = "reader"
    ) -> None:
        self.phase = phase
        # US dollars for replies to our own readers and judges; None while no price is known.
        self.paid: float | None = None
        self.wasted = 0.0  # The part for those of no use.
        self._by = by
        self._tell = tell
        self._name = secrets.token_hex(6)
        self._calls = 0
        self._failed: set[int] = set()

    def begin(
        self, path: str, model: str | None, request: Hashable, by: Caller | None = None
    ) -> Callable[..., None]:
        """Tell that a call begins; return what tells that it has ended, and its outcome.

        Within the work of one another may call, as a memory does before its reader.
        """
        mark, began = hash(request), monotonic()
        call = self._next(path, model)._replace(again=mark in self._failed, by=by or self._by)
        self._tell(call)

        def end(**outcome: Any) -> None:
            ended = call._replace(ended=True, seconds=monotonic() - began, **outcome)
            (self._failed.add if ended.failed else self._failed.discard)(mark)
            self._tell(ended)

        return end

    def replay(self, path: str, model: str | None, **outcome: Any) -> None:
        """Tell of a call that a kept reply has answered, with its ``usage`` and ``reply``."""
        self._tell(self._next(path, model)._replace(ended=True, cost=0.0, kept=True, **outcome))

    def pay(self, dollars: float, wasted: bool = False) -> None:
        """Add what a reply cost."""
        self.paid = (self.paid or 0.0) + dollars
        if wasted:
            self.wasted += dollars

    def _next(self, path: str, model: str | None) -> Call:
        self._calls += 1
        return Call(f"{self._name}-{self._calls}", self.phase, path, model, self._by)


# Of the requests that are made now, and in tasks begun now; None if nobody asks.
current_log: ContextVar[CallLog | None] = ContextVar("current_log", default=None)
