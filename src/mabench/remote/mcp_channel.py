"""Memories behind an MCP server: one of its tools adds, another searches.

The client's context must be entered and left by one task, while the methods of a memory are called
from wherever the engine likes; so a task in another event loop holds the session.
"""

from __future__ import annotations

import asyncio
import math
import shlex
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import AsyncExitStack, ExitStack, asynccontextmanager, suppress
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from mabench.contract.methods import Takes
from mabench.errors import UsageError, first_of, require
from mabench.models.address import ModelAddress
from mabench.redact import redact, redact_line, redact_setting
from mabench.remote.channel import Remote, RemoteError
from mabench.remote.child_process import ChildProcess
from mabench.remote.mcp_mapping import ToolMap, is_url
from mabench.remote.mcp_results import ToolResult
from mabench.remote.mcp_streams import http_streams, stdio_streams
from mabench.remote.mcp_templates import fill_template
from mabench.remote.variables import choose_variables, hint_at_variables

_START_SECONDS = 120.0  # npx and uvx may have to fetch the server first.
_LONGEST = 300


def mcp_factory(target: str, mapping: str | None, env: Sequence[str] = ()) -> Callable[..., Remote]:
    """Return a factory of memories on an MCP server.

    It may be given a ``ModelAddress``, and how many seconds a server may take to start.

    ``target`` is ``mcp:COMMAND ARGUMENTS`` for a server that is started for each memory and speaks
    over stdio, or ``mcp:http://...`` for one that runs; ``mapping`` is as for ``ToolMap.load``, and
    ``env`` names the environment variables that are passed on to a command.

    Raises:
        MissingPackageError: when the package mcp is not installed.
        UsageError: when there is no such mapping, or it does not fit; by the factory, when the
            server does not start or lacks a tool.
    """
    target = target.removeprefix("mcp:").strip()
    require("mcp.client.client", "mcp")
    if not target:
        raise UsageError("mcp: names no server; write mcp:COMMAND or mcp:http://HOST:PORT/mcp")
    try:
        shlex.split(target)
    except ValueError as error:
        raise UsageError(f"{redact_line(target)} is not a command line: {error}") from error
    if env and is_url(target):
        raise UsageError("`env` is for servers that are started by a command", parameter="env")
    choose_variables(env)  # Refuses what is not set before anything is started.
    tool_map = ToolMap.load(target, mapping)
    if tool_map is None:
        channel = _McpChannel(target, None, env)
        channel.end()
        tools = ", ".join(f"{name}({', '.join(args)})" for name, args in channel.tools.items())
        raise UsageError(
            f"no mapping for {redact_line(target)}: give `mcp_map` a TOML file with the tools that "
            "add and search (see docs/guides/remote-memories.md), or one of: "
            f"{', '.join(ToolMap.shipped())}; the server's tools: {tools or 'none'}",
            parameter="mcp_map",
        )

    def start(address: ModelAddress | None = None, seconds: float | None = None) -> Remote:
        limit = min(seconds or math.inf, _START_SECONDS)
        channel = _McpChannel(target, tool_map, env, address, limit)
        if problem := _misfit(tool_map, channel.tools):
            channel.end()
            raise UsageError(f"{redact_line(target)} {problem}", parameter="mcp_map")
        return Remote(channel, "memory")

    return start


def _misfit(tool_map: ToolMap, tools: Mapping[str, Sequence[str]]) -> str | None:
    """Return what a mapping calls that a server does not have."""
    for tool in tool_map.tools().values():
        if tool.tool not in tools:
            return f"has no tool {tool.tool!r}; it has: {', '.join(tools) or 'none'}"
        taken = tools[tool.tool]
        for name in tool.arguments:
            if taken and name not in taken:
                return f"takes no {name!r} in its tool {tool.tool!r}; it takes: {', '.join(taken)}"
    return None


class _McpChannel:
    """A server, started by a command or reached over HTTP, and a temporary folder of its own.

    ``tools`` has the arguments of each of its tools; without a map there is nothing else of it.
    """

    def __init__(
        self,
        target: str,
        tool_map: ToolMap | None,
        env: Sequence[str],
        address: ModelAddress | None = None,
        start_seconds: float = _START_SECONDS,
    ) -> None:
        from anyio.from_thread import start_blocking_portal

        self._map: Any = tool_map
        self.takes = tool_map.takes() if tool_map else Takes()
        variables = tool_map.server.env if tool_map else {}
        self._start_seconds = start_seconds
        self._texts = 0
        self._closed = False
        self._child: ChildProcess | None = None
        self._problems: list[str] = []  # Of a server over HTTP.
        environment = choose_variables(env)
        with ExitStack() as stack:
            folder = Path(stack.enter_context(TemporaryDirectory(prefix="mabench-mcp-")))
            (folder / "data").mkdir()
            self._places = {"folder": str(folder / "data"), "session": folder.name}
            if not is_url(target):
                target = shlex.join(fill_template(shlex.split(target), self._places))
            self._name = redact_line(target)
            environment |= fill_template(dict(variables), self._places)
            for variable, value in variables.items():  # What is secret of them is noted.
                redact_setting(variable, value)
            environment |= address.environment() if address else {}
            try:
                self._portal = stack.enter_context(start_blocking_portal())
                opening = self._portal.wrap_async_context_manager(self._open(target, environment))
                self._client, self.tools = stack.enter_context(opening)
            except Exception as error:
                reason = self._start_problem(target, first_of(error))
                hint = "" if is_url(target) else hint_at_variables(reason, environment)
                raise UsageError(reason + hint) from error
            self._stack = stack.pop_all()

    async def call(self, method: str, params: Mapping[str, Any]) -> Any:
        self._texts += method == "add"
        return await self._map.call(method, {**params, "n": self._texts}, self._use)

    async def close(self) -> None:
        await asyncio.to_thread(self.end)

    async def _use(self, tool: str, template: Any, values: Mapping[str, Any]) -> ToolResult:
        name = f"{tool} of {self._name}"
        if self._closed:
            raise RemoteError(f"{name}: the session is closed")
        arguments = fill_template(template, {**self._places, **values})
        call = partial(self._client.call_tool, tool, arguments)
        try:
            result = await asyncio.wrap_future(self._portal.start_task_soon(call))
        except Exception as error:
            problem = self._child.problem if self._child else next(iter(self._problems), None)
            reason = problem or _message_of(first_of(error))
            words = self._child.last_words() if self._child else ""
            raise RemoteError(f"{name}: {reason}{words}") from error
        said = [(block.type, _text_of(block)) for block in result.content]
        texts = [text for _, text in said if text is not None]
        if result.is_error:
            message = " ".join(redact(" ".join(texts)).split())[:_LONGEST]
            raise RemoteError(f"{name}: {message or 'failed without a message'}")
        others = [kind for kind, text in said if text is None]
        return ToolResult(result.structured_content, texts, others)

    def end(self) -> None:
        self._closed = True
        with suppress(Exception):  # The calls told of what failed.
            self._stack.close()

    @asynccontextmanager
    async def _open(
        self, target: str, environment: Mapping[str, str]
    ) -> AsyncIterator[tuple[Any, dict[str, list[str]]]]:
        from mcp import Client

        async with AsyncExitStack() as stack:
            if is_url(target):
                opening = http_streams(target, self._problems)
                streams: Any = await stack.enter_async_context(opening)
            else:
                self._child = ChildProcess(shlex.split(target), environment)
                streams = stdio_streams(self._child)
            async with asyncio.timeout(self._start_seconds):
                client = await stack.enter_async_context(Client(streams))
                page = await client.list_tools(cursor=None)
                listed = [*page.tools]
                while page.next_cursor is not None:
                    page = await client.list_tools(cursor=page.next_cursor)
                    listed += page.tools
            yield client, {tool.name: [*tool.input_schema.get("properties", {})] for tool in listed}

    def _start_problem(self, target: str, error: BaseException) -> str:
        reason = _message_of(error)
        if is_url(target):
            return f"no MCP server answers at {self._name}: {reason}; start it there"
        if self._child is None:
            cannot = "" if reason.startswith(self._name) else f"{self._name} cannot be run: "
            return f"{cannot}{reason}; install the command, or correct it"
        if isinstance(error, TimeoutError):
            reason = f"it did not answer within {self._start_seconds:g} s"
        reason = (self._child.problem or reason) + self._child.last_words()
        return f"{self._name} does not start as an MCP server: {reason}"


def _text_of(block: Any) -> str | None:
    """Return the text of a block of content, or of the resource in it; None for any other."""
    text = getattr(block.resource if block.type == "resource" else block, "text", None)
    return text if isinstance(text, str) else None


def _message_of(error: BaseException) -> str:
    return " ".join(redact(str(error)).split())[:_LONGEST] or type(error).__name__
