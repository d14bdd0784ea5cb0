"""What an agent raises is a failure of its call, whatever it is, and never one of ours.

Raised again, ``SystemExit``, ``StopIteration`` or a cancellation would end the run, or hang it.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable
from typing import Generic, NamedTuple, TypeVar

LONGEST_ERROR = 100_000  # Characters that are read of an error; fewer are kept.
MOST_NOTES = 10  # Of an error.
_T = TypeVar("_T")


class AgentRaisedError(Exception):
    """An agent raised what is no ordinary exception: the ``original``."""

    def __init__(self, original: BaseException) -> None:
        super().__init__(describe_error(original))
        self.original = original


class Outcome(NamedTuple, Generic[_T]):
    """What a call of an agent came to: a value, or what it raised."""

    value: _T | None = None
    error: BaseException | None = None

    def result(self) -> _T:
        """Return the value, or raise what was raised as an ordinary exception."""
        if self.error is None:
            return self.value  # type: ignore[return-value]  # there is one
        if _is_ordinary(self.error):
            raise self.error
        raise AgentRaisedError(self.error) from self.error


def _is_ordinary(error: BaseException) -> bool:
    kind = type(error)
    if issubclass(kind, StopIteration | StopAsyncIteration) or not issubclass(kind, Exception):
        return False
    try:
        return error.__class__ is kind  # Much of Python asks an error for its class.
    except BaseException:
        return False


def outcome_of(call: Callable[[], _T]) -> Outcome[_T]:
    """Call a function of an agent and return what it came to; a user's Ctrl-C passes."""
    try:
        return Outcome(call())
    except BaseException as error:
        if is_ctrl_c(error):
            raise
        return Outcome(error=error)


def attempt(call: Callable[[], _T]) -> _T:
    """Return what a function of an agent returns; raise ordinary exceptions alone."""
    return outcome_of(call).result()


def is_ctrl_c(error: BaseException) -> bool:
    """Whether an error may come from the user: Ctrl-C in a main thread that does not handle it."""
    return (
        issubclass(type(error), KeyboardInterrupt)
        and threading.current_thread() is threading.main_thread()
        and signal.getsignal(signal.SIGINT) is signal.default_int_handler
    )


def text_of(error: BaseException) -> str:
    """Return the text of an error, cut where it is too long; one whose text raises has none."""
    try:
        return str.__str__(str(error))[:LONGEST_ERROR]
    except BaseException as second:
        return f"(its text raises {type(second).__name__})"


def describe_error(error: BaseException) -> str:
    """Return the kind of an error and its text, where it has one."""
    original = error.original if type(error) is AgentRaisedError else error
    try:
        kind = f"{type(original).__name__}"[:LONGEST_ERROR]
    except BaseException:
        kind = "an exception without a name"
    return f"{kind}: {text}" if (text := text_of(original)) else kind
