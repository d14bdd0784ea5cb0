"""What was to end and did not, so that the program exits without waiting for it."""

from __future__ import annotations

from typing import Protocol


class Work(Protocol):
    """A task, a future, or anything else that tells whether it has ended."""

    def done(self) -> bool:
        """Return whether it has ended."""


# Kept, since Python waits without end for some of what it drops.
_left: list[Work] = []


def leave_behind(*work: Work) -> None:
    """Note work that goes on although it was to end."""
    _left.extend(work)


def leaves_something() -> bool:
    """Return whether work goes on that was to end."""
    return not all(work.done() for work in _left)
