"""Agents and memories in processes of their own: other interpreters, other languages."""

from __future__ import annotations

import asyncio
import contextlib
import shlex
from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

from mabench.errors import UsageError
from mabench.remote.channel import RemoteAgent, RemoteError, RemoteMemory, remote
from mabench.remote.process import WorkerProcess

_WORKER = Path(__file__).with_name("worker.py")
_START_SECONDS = 600.0  # Some programs load models for minutes before they are ready.
_CLOSE_SECONDS = 30.0

RemoteFactory = Callable[[], RemoteAgent | RemoteMemory]


def interpreter_factory(
    python: str | Path,
    reference: str,
    settings: Mapping[str, object] | None = None,
    model: Mapping[str, str] | None = None,
) -> RemoteFactory:
    """Return a factory that starts ``python`` with our one file and makes ``reference`` there.

    Args:
        python: an interpreter (3.9 or later), in whose environment nothing of ours is needed.
        reference: ``module:factory``, ``FILE.py:factory`` or a plugin of that environment.
        settings: keyword arguments of the factory.
        model: where a language model is reached, for a factory that takes ``model``.

    Raises:
        UsageError: when there is no such interpreter.
    """
    if not Path(python).is_file():
        raise UsageError(
            f"no interpreter {python}; give one such as venv/bin/python", parameter="python"
        )
    return _starter(
        # Its folder is not made absolute: a link into an environment must stay one.
        [str(python), str(_WORKER)],
        factory=reference,
        settings=dict(settings or {}),
        model=model and dict(model),
        folder=str(Path.cwd()),
    )


def program_factory(
    command: str,
    settings: Mapping[str, object] | None = None,
    model: Mapping[str, str] | None = None,
) -> RemoteFactory:
    """Return a factory that starts a program that speaks the line protocol.

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


def _starter(command: Sequence[str], **make: object) -> RemoteFactory:
    """Return what starts a program for each row.

    One that never started ends the run with the reason. One that did before fails its row alone.
    """
    worked = False

    def start() -> RemoteAgent | RemoteMemory:
        nonlocal worked
        try:
            started = _started(command, make)
        except UsageError as error:
            if not worked:
                raise
            return RemoteAgent(_Unstarted(str(error)))
        worked = True
        return started

    return start


def _started(command: Sequence[str], make: Mapping[str, object]) -> RemoteAgent | RemoteMemory:
    """Start a program and let it make its agent or memory.

    Args:
        command: the program and its arguments.
        make: the parameters of its method ``make``.

    Raises:
        UsageError: when it cannot be started, fails to make one, or is not ready in time.
    """
    process = None
    try:
        process = WorkerProcess(command)
        reply = process.send("make", make).result(_START_SECONDS)
        return remote(reply["kind"], _StdioChannel(process, reply.get("methods") or ()))
    except TimeoutError as error:
        problem: object = f"not ready within {_START_SECONDS:.0f} s"
        cause: Exception = error
    except (RemoteError, KeyError, TypeError, AttributeError) as error:
        problem, cause = error, error
    if process:
        process.kill("it could not be used")
        process.close()
    name = make.get("factory") or " ".join(command)
    raise UsageError(f"{name} cannot be used: {problem}") from cause


class _StdioChannel:
    """The calls of one row to a process.

    A call that is given up, because its time is over, ends the process: it may hang, and there is
    no other way to stop it. Later calls then fail at once.
    """

    def __init__(self, process: WorkerProcess, optional: Collection[str]) -> None:
        self._process = process
        self.optional = optional

    async def call(
        self, method: str, params: Mapping[str, object], *, repeatable: bool = False
    ) -> Any:
        try:
            return await asyncio.wrap_future(self._process.send(method, params))
        except asyncio.CancelledError:
            self._process.kill(f"it was ended: {method} took too long")
            raise

    async def close(self) -> None:
        with contextlib.suppress(TimeoutError, RemoteError):
            async with asyncio.timeout(_CLOSE_SECONDS):
                await self.call("close", {})
        await asyncio.to_thread(self._process.close)


class _Unstarted:
    """Stands for a program that did not start: each call fails with the reason."""

    optional = ()

    def __init__(self, reason: str) -> None:
        self._reason = reason

    async def call(
        self, method: str, params: Mapping[str, object], *, repeatable: bool = False
    ) -> Any:
        raise RemoteError(self._reason)

    async def close(self) -> None:
        pass
