"""Agents that do not live in this process: other interpreters, programs, servers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from mabench.errors import UsageError
from mabench.lookup.factories import Factory
from mabench.lookup.names import capabilities_of, file_reference
from mabench.redact import redact

if TYPE_CHECKING:
    from mabench.models import ReadingModel

_PROGRAM = "stdio:"
_MCP = "mcp:"
_URLS = ("http://", "https://")


def remote_factory(
    agent: str | Callable[[], object],
    model: ReadingModel | None,
    settings: Mapping[str, object],
    python: str | Path | None,
    mcp_map: str | Path | None,
) -> Factory | None:
    """Return a factory of agents that live elsewhere; None for an agent of this process.

    Arguments are those of ``resolve``.

    Raises:
        UsageError: when it cannot be reached as it is named, or a parameter does not go with it.
    """
    name = agent if isinstance(agent, str) else ""
    _check_parameters(name, settings, python, mcp_map)
    if name.startswith(_URLS):
        from mabench.remote.http_channel import http_factory

        return http_factory(name)
    if name.startswith(_MCP):
        from mabench.remote.mcp_channel import mcp_factory

        return mcp_factory(name, None if mcp_map is None else str(mcp_map))
    if name.startswith(_PROGRAM):
        from mabench.remote.stdio_channel import program_factory

        return program_factory(name.removeprefix(_PROGRAM), settings, _address(model))
    if python is None:
        return None
    if not name:
        raise UsageError(
            "an agent for another interpreter is named, as package.module:factory",
            parameter="agent",
        )
    from mabench.remote.stdio_channel import interpreter_factory

    return interpreter_factory(python, file_reference(name), settings, _address(model))


def _address(model: ReadingModel | None) -> Mapping[str, str] | None:
    return model.address() if model else None


def shown_name(agent: str) -> str:
    """Return the name of an agent as it is recorded: without what a URL or command keeps secret."""
    if agent.startswith(_URLS):
        from mabench.remote.http_channel import without_user

        return redact(without_user(agent))
    return redact(agent) if agent.startswith((_MCP, _PROGRAM)) else agent


def _check_parameters(
    name: str,
    settings: Mapping[str, object],
    python: str | Path | None,
    mcp_map: str | Path | None,
) -> None:
    is_server = name.startswith((*_URLS, _MCP))
    if python and (is_server or name.startswith(_PROGRAM)):
        raise UsageError(
            "`python` is for agents in Python; programs and servers have their own",
            parameter="python",
        )
    if python and capabilities_of(name).needs_model:
        raise UsageError(
            f"{name} reads with the model of the run, in this interpreter; leave out `python`",
            parameter="python",
        )
    if mcp_map and not name.startswith(_MCP):
        raise UsageError(
            "`mcp_map` is for memories on MCP servers, named as mcp:COMMAND", parameter="mcp_map"
        )
    if settings and is_server:
        raise UsageError(
            f"{next(iter(settings))}: a server takes no settings but k; set it up where it runs",
            parameter="settings",
        )
