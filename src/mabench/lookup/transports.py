"""How an agent is reached: in this process, in another one, or on a server."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from mabench.redact import redact_agent

# How what lives elsewhere begins its name; what is made by `python` has any other name.
_PREFIXES = {"stdio:": "stdio", "mcp:": "mcp", "http://": "http", "https://": "http"}
LOOPBACK = ("127.0.0.1", "::1", "localhost")


def transport_of(agent: object, python: str | Path | None = None) -> str:
    """Return how an agent that lives elsewhere is reached; empty for one of this process."""
    name = agent if isinstance(agent, str) else ""
    known = (transport for prefix, transport in _PREFIXES.items() if name.startswith(prefix))
    return next(known, "" if python is None else "python")


def name_of(agent: str | Callable[..., object]) -> str:
    """Return an agent's name as it is recorded: without what a URL or a command keeps secret."""
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
