"""Tells from an agent's name how it is reached: here, in another process, or on a server."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from mabench.redact import redact_agent

# The transport by the prefix of the name. An agent for `python` has no prefix.
_TRANSPORTS = {"stdio:": "stdio", "mcp:": "mcp", "http://": "http", "https://": "http"}
LOOPBACK = ("127.0.0.1", "::1", "localhost")


def transport_of(agent: object, python: str | Path | None = None) -> str:
    """Return how an agent outside of this process is reached; empty for an agent in it."""
    name = agent if isinstance(agent, str) else ""
    for prefix, transport in _TRANSPORTS.items():
        if name.startswith(prefix):
            return transport
    return "" if python is None else "python"


def name_of(agent: str | Callable[..., object]) -> str:
    """Return the name that a run records for an agent, without secrets of a URL or command."""
    if not isinstance(agent, str):
        named: Any = agent if hasattr(agent, "__qualname__") else type(agent)
        return f"{named.__module__}:{named.__qualname__}"
    transport = transport_of(agent)
    if not transport:
        return agent
    name = redact_agent(agent)
    if transport == "http":
        from mabench.remote.http_channel import without_user

        name = redact_agent(without_user(agent))
    return name
