"""What an agent raised, as it is recorded."""

from __future__ import annotations

import traceback
from typing import NamedTuple

from mabench.redact import redact

_LONGEST_MESSAGE = 2_000
_FRAMES = 4


class Failure(NamedTuple):
    """What an agent raised: kind and message, and the last frames of where."""

    error: str
    traceback: str | None


def described(error: Exception) -> Failure:
    """Say what was raised, without secrets; the trace is short, and begins in the agent."""
    frames = traceback.extract_tb(error.__traceback__)[-_FRAMES:]
    # An agent in another process notes where it raised there.
    where = "".join([*traceback.format_list(frames), *getattr(error, "__notes__", ())])
    message = redact(f"{type(error).__name__}: {error}")[:_LONGEST_MESSAGE]
    return Failure(message, redact(where)[-_LONGEST_MESSAGE:] or None)
