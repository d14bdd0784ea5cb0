"""Reports every model call when it begins and when it ends.

It only passes records on; it stores nothing and sends no request.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Hashable
from contextvars import ContextVar
from time import monotonic
from typing import Any

from mabench.models.calls import Call, Caller, CallPhase


class CallLog:
    """Reports the calls of one question, of one history or of one preflight request.

    ``tell`` is called with each call twice: when it begins and when it has ended.
    """

    def __init__(
        self, tell: Callable[[Call], object], phase: CallPhase, by: Caller = "reader"
    ) -> None:
        self.phase = phase
        # US dollars paid for replies to our own readers and judges; None while no price is known.
        self.paid: float | None = None
        self.wasted = 0.0  # The part of ``paid`` that went into unusable replies.
        self._by = by
        self._tell = tell
        self._name = secrets.token_hex(6)
        self._calls = 0
        self._failed: set[int] = set()

    def begin(
        self, path: str, model: str | None, request: Hashable, by: Caller | None = None
    ) -> Callable[..., None]:
        """Report that a call begins; return a function that reports its end.

        That function takes the outcome of the call as fields of ``Call``. ``by`` is who makes this
        call if it is not the log's usual caller, such as a memory that embeds for its reader.
        """
        request_hash, began = hash(request), monotonic()
        failed_before = request_hash in self._failed
        call = self._new_call(path, model)._replace(again=failed_before, by=by or self._by)
        self._tell(call)

        def end(**outcome: Any) -> None:
            ended = call._replace(ended=True, seconds=monotonic() - began, **outcome)
            if ended.failed:
                self._failed.add(request_hash)
            else:
                self._failed.discard(request_hash)
            self._tell(ended)

        return end

    def replay(self, path: str, model: str | None, **outcome: Any) -> None:
        """Report a call that a cached reply answered, with its ``usage`` and ``reply``."""
        call = self._new_call(path, model)
        self._tell(call._replace(ended=True, cost=0.0, kept=True, **outcome))

    def pay(self, dollars: float, *, wasted: bool = False) -> None:
        """Add the cost of a reply; ``wasted`` if the reply was of no use."""
        self.paid = (self.paid or 0.0) + dollars
        if wasted:
            self.wasted += dollars

    def _new_call(self, path: str, model: str | None) -> Call:
        """Return the record of the next call, which has not ended."""
        self._calls += 1
        name = f"{self._name}-{self._calls}"
        return Call(name=name, phase=self.phase, path=path, model=model, by=self._by)


# The log of the current task, and of tasks that it starts; None if no calls are recorded.
current_log: ContextVar[CallLog | None] = ContextVar("current_log", default=None)
