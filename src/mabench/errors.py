"""The errors that mabench raises on purpose: one readable line each, never a traceback."""

from __future__ import annotations

import importlib
from types import ModuleType

from mabench.installation import import_lock, install_command
from mabench.redact import redact


class MabenchError(Exception):
    """Something the user can act on; the message says what is wrong and the remedy.

    A message names parameters of the Python interface in backquotes (`out`), never options of
    the command line, which puts its own names in their place. Secrets are taken out of it.

    Args:
        message: what is wrong and the remedy.
        parameter: the parameter whose value is wrong, where it is one.
    """

    exit_code = 1

    def __init__(self, message: str, *, parameter: str | None = None) -> None:
        super().__init__(redact(message))
        self.parameter = parameter


class UsageError(MabenchError):
    """A wrong argument: an unknown name, arguments that contradict each other."""

    exit_code = 2


class NotMadeError(UsageError):
    """An agent could not be made, though there is one of that name."""


def reason(error: BaseException) -> str:
    """Return the first line of what ``error`` says, without a number; its type without words."""
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    lines = str(error).strip().splitlines()
    return lines[0].rstrip(".") if lines else type(error).__name__


def ignored_model(agent: str) -> UsageError:
    """Return the error for a model that is named for an agent which would never ask it."""
    return UsageError(
        f"{agent} makes its own answers and would ignore `model`; leave it out (only a factory "
        "with an argument named model receives it)",
        parameter="model",
    )


class DataError(MabenchError):
    """A file or a row that cannot be read as MemoryAgentBench data."""


class MissingPackageError(MabenchError):
    """An optional package is not installed; the message names the extra that brings it."""


def require(module: str, extra: str) -> ModuleType:
    """Import an optional module; raises ``MissingPackageError``."""
    try:
        with import_lock:
            return importlib.import_module(module)
    except ImportError as error:
        raise MissingPackageError(
            f"{module.partition('.')[0]} is not installed; run: {install_command(extra)}"
        ) from error
