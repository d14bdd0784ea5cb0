"""Agents and memories in processes of their own: other interpreters, other languages."""

from __future__ import annotations

import asyncio
import contextlib
import shlex
import shutil
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

from mabench.errors import UsageError, ignored_model
from mabench.models.spec import ModelAddress
from mabench.remote.channel import Params, RemoteAgent, RemoteError, RemoteMemory, remote
from mabench.remote.environment import environment, hint
from mabench.remote.process import WorkerProcess

_WORKER = Path(__file__).with_name("worker.py")
_START_SECONDS = 600.0  # Some programs load models for minutes before they are ready.
_CLOSE_SECONDS = 30.0


class RemoteFactory(Protocol):
    """Makes an agent or a memory that lives elsewhere."""

    def __call__(self, address: ModelAddress | None = None) -> RemoteAgent | RemoteMemory:
        """Make one; ``address`` is where it calls its model, instead of the one known before."""


def interpreter_factory(
    python: str | Path,
    reference: str,
    settings: Mapping[str, object] | None = None,
    model: Mapping[str, str] | None = None,
    env: Sequence[str] = (),
) -> RemoteFactory:
    """Return a factory that starts ``python`` with our one file and makes ``reference`` there.

    Args:
        python: an interpreter (3.9 or later), in whose environment nothing of ours is needed: a
            file, or a name on the search path.
        reference: ``module:factory``, ``FILE.py:factory`` or a plugin of that environment.
        settings: keyword arguments of the factory.
        model: where a language model is reached, for a factory that takes ``model``.
        env: the names of the environment variables that are passed on.

    Raises:
        UsageError: when there is no such interpreter or variable.
    """
    # A name without a folder is looked up as a shell does it.
    found = python if Path(python).is_file() else shutil.which(str(python))
    if not found:
        raise UsageError(
            f"no interpreter {python}; give one such as venv/bin/python", parameter="python"
        )
    return _starter(
        # Its folder is not made absolute: a link into an environment must stay one.
        [str(found), str(_WORKER)],
        environment(env),
        factory=reference,
        settings=dict(settings or {}),
        model=model and dict(model),
        folder=str(Path.cwd()),
    )


def program_factory(
    command: str,
    settings: Mapping[str, object] | None = None,
    model: Mapping[str, str] | None = None,
    env: Sequence[str] = (),
) -> RemoteFactory:
    """Return a factory that starts a program that speaks the line protocol.

    Raises:
        UsageError: when the command is empty or has an open quotation mark, or there is no such
            program, or no variable of a name in ``env``.
    """
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise UsageError(f"stdio:{command}: {error}") from error
    if not words:
        raise UsageError("stdio: names no program; write it as 'stdio:node my-agent.js'")
    given = environment(env)
    if shutil.which(words[0], path=given.get("PATH")) is None:
        raise UsageError(
            f"stdio: there is no program {words[0]} here; install it, or give its path",
            parameter="agent",
        )
    make = {"settings": dict(settings or {}), "model": model and dict(model)}
    return _starter(words, given, **make)


def _starter(command: Sequence[str], given: Mapping[str, str], **make: object) -> RemoteFactory:
    """Return what starts a program for each row and lets it ``make`` an agent or a memory.

    One that never started ends the run with the reason. One that did before fails its row alone.
    """
    worked = False

    def start(address: ModelAddress | None = None) -> RemoteAgent | RemoteMemory:
        nonlocal worked
        process = None
        seen = {**given, **(address.environment() if address else {})}
        asked = {**make, "model": address.setting()} if address else make
        try:
            process = WorkerProcess(command, seen)
            reply = process.send("make", asked).result(_START_SECONDS)
            made = remote(reply["kind"], _StdioChannel(process, reply.get("methods") or ()))
        except (TimeoutError, RemoteError, KeyError, TypeError, AttributeError) as error:
            if process:
                process.kill("it could not be used")
                process.close()
            late = isinstance(error, TimeoutError)
            problem = f"not ready within {_START_SECONDS:.0f} s" if late else error
            reason = f"{make.get('factory') or ' '.join(command)} cannot be used: {problem}"
            reason += hint(str(problem), seen)
            if worked:
                return RemoteAgent(_Unstarted(reason))
            raise UsageError(reason) from error
        if asked["model"] and reply["kind"] == "agent" and reply.get("takes_model") is False:
            process.kill("it would ignore the model")
            process.close()
            raise ignored_model(str(make.get("factory") or shlex.join(command)))
        worked = True
        return made

    return start


class _StdioChannel:
    """The calls of one row to a process.

    A call that is given up, because its time is over, ends the process: it may hang, and there is
    no other way to stop it. Later calls then fail at once.
    """

    def __init__(self, process: WorkerProcess, optional: Collection[str]) -> None:
        self._process = process
        self.optional = optional

    async def call(self, method: str, params: Params, *, repeatable: bool = False) -> Any:
        try:
            return await asyncio.wrap_future(self._process.send(method, params))
        except asyncio.CancelledError:
            self._process.kill(f"it was ended: {method} took too long")
            raise

    async def close(self) -> None:
        with contextlib.suppress(TimeoutError, RemoteError):
            await asyncio.wait_for(self.call("close", {}), _CLOSE_SECONDS)
        await asyncio.to_thread(self._process.close)


class _Unstarted:
    """Stands for a program that did not start: each call fails with the reason."""

    optional = ()

    def __init__(self, reason: str) -> None:
        self._reason = reason

    async def call(self, method: str, params: Params, *, repeatable: bool = False) -> Any:
        raise RemoteError(self._reason)

    async def close(self) -> None:
        pass
