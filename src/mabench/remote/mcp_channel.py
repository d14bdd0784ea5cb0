"""The channel to memories on MCP servers, where one tool adds and another searches.

An MCP session must be opened and closed by the same task, but the methods of a memory are called
from many tasks. So the session is held by a task in an event loop of its own.
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

# npx and uvx may have to download the server first.
_START_SECONDS = 120.0
# Characters of an error of the server.
_LONGEST_ERROR = 300


def mcp_factory(target: str, mapping: str | None, env: Sequence[str] = ()) -> Callable[..., Remote]:
    """Return a factory of memories on an MCP server.

    The factory takes a ``ModelAddress``, and the seconds within which a server must start.

    Args:
        target: ``mcp:COMMAND ARGUMENTS`` for a server that is started for each memory, or
            ``mcp:http://...`` for one that is already running.
        mapping: the name of a mapping, as for ``ToolMap.load``.
        env: the names of environment variables that are passed on to a command.

    Raises:
        MissingPackageError: when the package mcp is not installed.
        UsageError: when there is no such mapping; by the factory, when the server does not start
            or lacks a tool.
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
    choose_variables(env)  # Raises if a variable is not set, before anything is started.
    tool_map = ToolMap.load(target, mapping)
    if tool_map is None:
        raise _missing_map(target, env)

    def start(address: ModelAddress | None = None, seconds: float | None = None) -> Remote:
        limit = min(seconds or math.inf, _START_SECONDS)
        channel = _McpChannel(target, tool_map, env, address, limit)
        problem = _find_misfit(tool_map, channel.tools)
        if problem:
            channel.end()
            raise UsageError(f"{redact_line(target)} {problem}", parameter="mcp_map")
        return Remote(channel, "memory")

    return start


def _missing_map(target: str, env: Sequence[str]) -> UsageError:
    """Return the error that a server has no mapping; the server is started to list its tools."""
    channel = _McpChannel(target, None, env)
    channel.end()
    tools = ", ".join(f"{name}({', '.join(args)})" for name, args in channel.tools.items())
    return UsageError(
        f"no mapping for {redact_line(target)}: give `mcp_map` a TOML file with the tools that "
        "add and search (see docs/guides/remote-memories.md), or one of: "
        f"{', '.join(ToolMap.shipped())}; the server's tools: {tools or 'none'}",
        parameter="mcp_map",
    )


def _find_misfit(tool_map: ToolMap, tools: Mapping[str, Sequence[str]]) -> str | None:
    """Return what a server lacks that a mapping uses; None if it has everything."""
    for tool in tool_map.tools().values():
        if tool.tool not in tools:
            return f"has no tool {tool.tool!r}; it has: {', '.join(tools) or 'none'}"
        taken = tools[tool.tool]
        for name in tool.arguments:
            if taken and name not in taken:
                return f"takes no {name!r} in its tool {tool.tool!r}; it takes: {', '.join(taken)}"
    return None


class _McpChannel:
    """A session with a server, which was started by a command or is reached over HTTP.

    Each has a temporary folder. ``tools`` holds the arguments of each tool of the server. Without a
    ``tool_map``, nothing else can be used.
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
            for variable, value in variables.items():
                redact_setting(variable, value)  # Notes secret values, so that they are redacted.
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
        if method == "add":
            self._texts += 1
        return await self._map.call(method, {**params, "n": self._texts}, self._use)

    async def close(self) -> None:
        await asyncio.to_thread(self.end)

    async def _use(self, tool: str, template: Any, values: Mapping[str, Any]) -> ToolResult:
        """Call a tool of the server, with the values filled into the template of its arguments."""
        name = f"{tool} of {self._name}"
        if self._closed:
            raise RemoteError(f"{name}: the session is closed")
        arguments = fill_template(template, {**self._places, **values})
        call = partial(self._client.call_tool, tool, arguments)
        try:
            result = await asyncio.wrap_future(self._portal.start_task_soon(call))
        except Exception as error:
            reason = _message_of(first_of(error))
            if self._child:
                reason = (self._child.problem or reason) + self._child.last_words()
            elif self._problems:
                reason = self._problems[0]
            raise RemoteError(f"{name}: {reason}") from error
        blocks = [(block.type, _block_text(block)) for block in result.content]
        texts = [text for _, text in blocks if text is not None]
        if result.is_error:
            message = " ".join(redact(" ".join(texts)).split())[:_LONGEST_ERROR]
            raise RemoteError(f"{name}: {message or 'failed without a message'}")
        return ToolResult(
            structured=result.structured_content,
            texts=texts,
            others=[kind for kind, text in blocks if text is None],
        )

    def end(self) -> None:
        """Close the session and end the server, if we started it."""
        self._closed = True
        with suppress(Exception):  # Failures were reported by the calls.
            self._stack.close()

    @asynccontextmanager
    async def _open(
        self, target: str, environment: Mapping[str, str]
    ) -> AsyncIterator[tuple[Any, dict[str, list[str]]]]:
        """Open a session; yield the client, and the arguments of each tool of the server."""
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
                listed = list(page.tools)
                while page.next_cursor is not None:
                    page = await client.list_tools(cursor=page.next_cursor)
                    listed += page.tools
            arguments = {
                tool.name: list(tool.input_schema.get("properties", {})) for tool in listed
            }
            yield client, arguments

    def _start_problem(self, target: str, error: BaseException) -> str:
        """Return why no session could be opened."""
        reason = _message_of(error)
        if is_url(target):
            return f"no MCP server answers at {self._name}: {reason}; start it there"
        if self._child is None:
            names_command = reason.startswith(self._name)
            problem = reason if names_command else f"{self._name} cannot be run: {reason}"
            return f"{problem}; install the command, or correct it"
        if isinstance(error, TimeoutError):
            reason = f"it did not answer within {self._start_seconds:g} s"
        reason = (self._child.problem or reason) + self._child.last_words()
        return f"{self._name} does not start as an MCP server: {reason}"


def _block_text(block: Any) -> str | None:
    """Return the text of a block of content, or of the resource in it; None if it has none."""
    holder = block.resource if block.type == "resource" else block
    text = getattr(holder, "text", None)
    return text if isinstance(text, str) else None


def _message_of(error: BaseException) -> str:
    """Return the message of an error in one line, or its class if it has none."""
    return " ".join(redact(str(error)).split())[:_LONGEST_ERROR] or type(error).__name__
