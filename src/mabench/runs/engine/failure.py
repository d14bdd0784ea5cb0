"""What an agent raised, in words that may be stored and shown."""

from __future__ import annotations

import traceback
from typing import NamedTuple

from mabench.errors import MabenchError
from mabench.redact import redact

_LONGEST_MESSAGE = 2_000
_LONGEST_LINE = 300
_FRAMES = 4


class Failure(NamedTuple):
    """What an agent raised: kind and message, and the last frames of where."""

    error: str
    traceback: str | None


def failure_of(error: Exception) -> Failure:
    """Return what was raised, without secrets; the trace is short and ends in the agent."""
    frames = traceback.extract_tb(error.__traceback__)[-_FRAMES:]
    # An agent in another process notes where it raised there.
    where = "".join([*traceback.format_list(frames), *getattr(error, "__notes__", ())])
    message = redact(f"{type(error).__name__}: {error}")[:_LONGEST_MESSAGE]
    return Failure(message, redact(where)[-_LONGEST_MESSAGE:] or None)


def error_line(error: BaseException) -> str:
    """Return the kind and the message of an error in one short line, without secrets.

    The kind of our own errors is left out. Characters that a terminal cannot show, or obeys,
    are replaced.
    """
    message = " ".join(str(error).split())
    if not isinstance(error, MabenchError):
        message = f"{type(error).__name__}: {message}"
    printable = (c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in redact(message))
    return "".join(printable)[:_LONGEST_LINE]
