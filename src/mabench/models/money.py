"""Who pays for a reply: the piece of work during which it came."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar


class Bill:
    """What was paid for replies during a piece of work.

    Attributes:
        paid: US dollars for all of them, kept replies costing nothing; None when no model with a
            price was asked.
        wasted: the part for replies that were of no use: empty or unreadable ones, and those
            that only showed that the server is there.
    """

    def __init__(self) -> None:
        self.paid: float | None = None
        self.wasted = 0.0

    def add(self, dollars: float, wasted: bool = False) -> None:
        """Add what a reply cost."""
        self.paid = (self.paid or 0.0) + dollars
        if wasted:
            self.wasted += dollars


_current: ContextVar[Bill | None] = ContextVar("bill", default=None)


@contextmanager
def billed() -> Iterator[Bill]:
    """Have the replies that come within this block, and the tasks begun there, on one bill."""
    bill = Bill()
    token = _current.set(bill)
    try:
        yield bill
    finally:
        _current.reset(token)


def current_bill() -> Bill | None:
    """Return the bill of the work that is under way; None outside of any."""
    return _current.get()
