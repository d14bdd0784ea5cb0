"""The channel to agents and memories in other processes: other interpreters or languages.

They are called over their standard streams by the line protocol, JSON-RPC 2.0 in JSON text
sequences (RFC 7464); see ``docs/reference/line-protocol.md``.
"""

from __future__ import annotations

import json
import math
import shlex
import shutil
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from mabench.contract.methods import KINDS, Takes
from mabench.errors import MabenchError, NotMadeError, UsageError, ignored_model
from mabench.models.address import ModelAddress
from mabench.redact import redact_command, redact_line
from mabench.remote.channel import Remote, RemoteError
from mabench.remote.variables import choose_variables, hint_at_variables
from mabench.remote.worker_process import LONGEST_SHOWN, WorkerProcess

_WORKER = Path(__file__).with_name("worker.py")
# Some programs load models for minutes before they are ready.
_START_SECONDS = 600.0


def process_factory(
    agent: str,
    python: str | Path | None = None,
    settings: Mapping[str, object] | None = None,
    model: Mapping[str, str] | None = None,
    env: Sequence[str] = (),
) -> Callable[..., Remote]:
    """Return a factory that starts a process, which makes an agent or a memory.

    The factory takes the address for model calls, which replaces ``model``, an empty folder for
    files, and the seconds within which the process must be ready.

    Args:
        agent: with ``python``, ``module:factory``, ``FILE.py:factory`` or a plugin there; else the
            command of a program that speaks the line protocol.
        python: the interpreter that runs our worker; mabench need not be installed there.
        settings: keyword arguments of the agent's factory.
        model: the address of the model, for the agent.
        env: the names of environment variables that are passed on.

    Raises:
        UsageError: when there is no such interpreter, program or variable.
        NotMadeError: by the factory, when a process does not start.
    """
    # The parameters of the request that makes the agent.
    make: dict[str, Any] = {
        "settings": dict(settings or {}),
        "model": None if model is None else dict(model),
    }
    if python is None:
        command = _split_command(agent)
    else:
        command = [_find_interpreter(python), str(_WORKER)]
        make |= {"factory": agent, "directory": str(Path.cwd())}
    environment = choose_variables(env)
    if python is None and shutil.which(command[0], path=environment.get("PATH")) is None:
        raise UsageError(
            f"stdio: there is no program {command[0]} here; install it, or give its path",
            parameter="agent",
        )

    def start(
        address: ModelAddress | None = None,
        folder: Path | None = None,
        seconds: float | None = None,
    ) -> Remote:
        variables, params = dict(environment), dict(make)
        if folder:
            params["folder"] = str(folder)
        if address:
            variables |= address.environment()
            params["model"] = address.setting()
        try:
            return _open(command, variables, params, min(seconds or math.inf, _START_SECONDS))
        except RemoteError as error:
            reason = f"{make.get('factory') or redact_command(command)} cannot be used: {error}"
            raise NotMadeError(reason + hint_at_variables(str(error), variables)) from error

    return start


def _split_command(line: str) -> list[str]:
    """Return the words of a command line; raises ``UsageError`` if it has none."""
    try:
        command = shlex.split(line)
    except ValueError as error:
        raise UsageError(f"stdio:{redact_line(line)}: {error}") from error
    if not command:
        raise UsageError("stdio: names no program; write 'stdio:node my-agent.js'")
    return command


def _find_interpreter(python: str | Path) -> str:
    """Return the path of an interpreter; raises ``UsageError`` if there is none.

    A name without a folder is looked up as a shell does. Links are not resolved: a link into an
    environment chooses that environment.
    """
    program = python if Path(python).is_file() else shutil.which(str(python))
    if not program:
        raise UsageError(
            f"no interpreter {python}; give one such as venv/bin/python", parameter="python"
        )
    return str(program)


def _open(
    command: Sequence[str],
    environment: Mapping[str, str],
    params: Mapping[str, Any],
    seconds: float,
) -> Remote:
    """Start a process, and let it make an agent or a memory within some seconds.

    Raises:
        RemoteError: when it cannot; the process has then ended.
    """
    process = WorkerProcess(command, environment)
    try:
        reply = process.send("make", params).result(seconds)
        if not isinstance(reply, Mapping) or reply.get("kind") not in KINDS:
            raise RemoteError(
                f"it replied to make with {json.dumps(reply)[:LONGEST_SHOWN]}; expected "
                '{"kind": "agent" or "memory"} (see docs/reference/line-protocol.md)'
            )
        process.takes = Takes.of_reply(reply)
        if params["model"] and reply["kind"] == "agent" and reply.get("takes_model") is False:
            raise ignored_model(str(params.get("factory") or redact_command(command)))
        return Remote(process, reply["kind"])
    except (TimeoutError, MabenchError, KeyError, TypeError, AttributeError) as error:
        process.kill("it could not be used")
        process.end()
        if isinstance(error, MabenchError):
            raise
        if isinstance(error, TimeoutError):
            raise RemoteError(
                f"not ready within {seconds:g} s{process.unmarked()}; if it only takes long to "
                "start, allow it more time (`memorize_timeout` of a run)"
            ) from error
        raise RemoteError(str(error)) from error
