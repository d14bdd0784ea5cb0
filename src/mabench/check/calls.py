"""Calls of an agent that end, and say what failed."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from mabench.errors import MabenchError, UsageError
from mabench.models import ModelUnavailableError
from mabench.redact import redact
from mabench.runs.engine.calls import Caller

_LONGEST_MESSAGE = 300


class CallError(MabenchError):
    """A call of the agent failed; the message says which and how."""


class HangError(CallError):
    """A call of the agent took too long."""


class Calls:
    """Calls the methods of one instance within a limit of seconds.

    Attributes:
        hung: whether the last call took too long.
    """

    def __init__(self, caller: Caller, limit: float) -> None:
        self.hung = False
        self._caller = caller
        self._limit = limit

    async def call(self, name: str, method: Callable[..., Any], *arguments: object) -> Any:
        """Return what a method returns; ``name`` is what messages call it.

        Raises:
            CallError: when it raises.
            HangError: when it takes too long.
            ModelUnavailableError: when the model's server answers no request.
        """
        start = time.monotonic()
        try:
            return await self._caller.call(method, *arguments, limit=self._limit)
        except ModelUnavailableError:
            raise  # No fault of the memory's: the check cannot go on.
        except UsageError as error:
            raise CallError(described(error)) from error  # It says itself what failed.
        except Exception as error:
            self.hung = (
                isinstance(error, TimeoutError) and time.monotonic() - start > 0.9 * self._limit
            )
            if self.hung:
                raise HangError(
                    f"{name} hangs: no result within {self._limit:g} s; if it is only slow, "
                    "allow more with --timeout"
                ) from error
            raise CallError(f"{name} failed: {described(error)}") from error


def described(error: BaseException) -> str:
    """Return the kind and the message of an error in one line, without secrets.

    Characters that a terminal cannot show, or obeys, are replaced.
    """
    message = " ".join(str(error).split())
    told = message if isinstance(error, MabenchError) else f"{type(error).__name__}: {message}"
    shown = "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in redact(told))
    return shown[:_LONGEST_MESSAGE]
