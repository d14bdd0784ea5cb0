"""Who pays for a reply: the piece of work during which it came."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from typing import NamedTuple, Protocol

from mabench.models.spec import Reply


class Attempt(NamedTuple):
    """How it ended when a request was sent once.

    Attributes:
        seconds: from the request to its end.
        reply: what was paid for, also where it was of no use; None for nothing.
        cost: US dollars for it; None where the price is unknown.
        error: why there is no usable reply, in words; None where there is.
    """

    seconds: float
    reply: Reply | None = None
    cost: float | None = None
    error: str | None = None


class Watch(Protocol):
    """Told of each request of a piece of work."""

    def begin(self, model: str, again: bool) -> Callable[[Attempt], None]:
        """Be told that a request is sent, ``again`` after a failure; return what is told the end.

        Args:
            model: its name on the server.
            again: whether it had failed before.
        """

    def kept(self, model: str, reply: Reply) -> None:
        """Be told that the cache answered a request."""


class Bill:
    """What was paid for replies during a piece of work.

    Args:
        watch: told of each of its requests.

    Attributes:
        paid: US dollars for all of them, kept replies costing nothing; None when no model with a
            price was asked.
        wasted: the part for replies that were of no use: empty or unreadable ones, and those
            that only showed that the server is there.
    """

    def __init__(self, watch: Watch | None = None) -> None:
        self.watch = watch
        self.paid: float | None = None
        self.wasted = 0.0

    def add(self, dollars: float, wasted: bool = False) -> None:
        """Add what a reply cost."""
        self.paid = (self.paid or 0.0) + dollars
        if wasted:
            self.wasted += dollars


_current: ContextVar[Bill | None] = ContextVar("bill", default=None)


@contextmanager
def billed(watch: Watch | None = None) -> Iterator[Bill]:
    """Have the replies that come within this block, and the tasks begun there, on one bill."""
    bill = Bill(watch)
    with on_bill(bill):
        yield bill


@contextmanager
def on_bill(bill: Bill | None) -> Iterator[None]:
    """Have the replies that come within this block on a bill that there is already."""
    token = _current.set(bill)
    try:
        yield
    finally:
        # A task whose loop was closed ends elsewhere, and its bill with it.
        with suppress(ValueError):
            _current.reset(token)


def current_bill() -> Bill | None:
    """Return the bill of the work that is under way; None outside of any."""
    return _current.get()
