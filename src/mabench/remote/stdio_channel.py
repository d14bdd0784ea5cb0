"""Agents and memories in processes of their own: other interpreters, other languages."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from mabench.errors import UsageError
from mabench.remote.process import WorkerError
from mabench.remote.channel import RemoteAgent, RemoteMemory, Unstarted, started

__all__ = ["RemoteAgent", "RemoteMemory", "WorkerError", "in_interpreter", "in_program"]

_WORKER = Path(__file__).with_name("worker.py")
Start = Callable[[], object]


def in_interpreter(
    python: str | Path,
    reference: str,
    settings: Mapping[str, object] | None = None,
    model: Mapping[str, str] | None = None,
) -> Start:
    """Return what starts ``python`` with our one file and makes ``reference`` there.

    Args:
        python: an interpreter (3.9 or later), in whose environment nothing of ours is needed.
        reference: ``module:factory``, ``FILE.py:factory`` or a plugin of that environment.
        settings: keyword arguments of the factory.
        model: where a language model is reached, for a factory that takes ``model``.

    Raises:
        UsageError: when there is no such interpreter.
    """
    if not Path(python).is_file():
        raise UsageError(f"no interpreter {python}; give one such as venv/bin/python")
    return _starter(
        # Its folder is not made absolute: a link into an environment must stay one.
        [str(python), str(_WORKER)],
        factory=reference,
        settings=dict(settings or {}),
        model=model and dict(model),
        folder=str(Path.cwd()),
    )


def in_program(
    command: str,
    settings: Mapping[str, object] | None = None,
    model: Mapping[str, str] | None = None,
) -> Start:
    """Return what starts a program that speaks the line protocol.

    Raises:
        UsageError: when the command is empty or has an open quotation mark.
    """
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise UsageError(f"stdio:{command}: {error}") from error
    if not words:
        raise UsageError("stdio: names no program; write it as 'stdio:node my-agent.js'")
    return _starter(words, settings=dict(settings or {}), model=model and dict(model))


def _starter(command: Sequence[str], **make: object) -> Start:
    """Return what starts a program for each row.

    One that never started ends the run with the reason. One that did before fails its row alone.
    """
    worked = False

    def start() -> RemoteAgent | RemoteMemory | Unstarted:
        nonlocal worked
        try:
            remote = started(command, **make)
        except UsageError as error:
            if not worked:
                raise
            return Unstarted(str(error))
        worked = True
        return remote

    return start
