"""A session with an MCP server, in a thread of its own.

The client's context must be entered and left by one task, while the methods of a memory are
called from wherever the engine likes; so a task in another event loop holds the session.
"""

from __future__ import annotations

import asyncio
import shlex
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AsyncExitStack, ExitStack, asynccontextmanager, suppress
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from mabench.errors import UsageError
from mabench.models.spec import ModelAddress
from mabench.redact import redact
from mabench.remote.channel import RemoteError
from mabench.remote.child import ChildProcess
from mabench.remote.environment import environment, hint
from mabench.remote.mcp_mapping import Server, Tool, ToolResult, filled, is_url
from mabench.remote.mcp_streams import http_streams, stdio_streams

_START_SECONDS = 120.0  # npx and uvx may have to fetch the server first.
_SHOWN = 300


class McpSession:
    """A server, started by a command or reached over HTTP, and a temporary folder of its own.

    Args:
        target: a command line, with ``{folder}`` and ``{session}``, or a URL.
        server: what the mapping says of the server.
        env: the names of the environment variables that are passed on to it.
        address: where it calls its model, told by variables.

    Attributes:
        tools: the names of the arguments of each tool that the server has, by its name.

    Raises:
        UsageError: when the server does not start or nothing answers.
    """

    def __init__(
        self,
        target: str,
        server: Server,
        env: Sequence[str] = (),
        address: ModelAddress | None = None,
    ) -> None:
        from anyio.from_thread import start_blocking_portal

        self._closed = False
        self._child: ChildProcess | None = None
        self._problems: list[str] = []  # Of a server over HTTP.
        given = environment(env)
        with ExitStack() as stack:
            folder = Path(stack.enter_context(TemporaryDirectory(prefix="mabench-mcp-")))
            (folder / "data").mkdir()
            self._places = {"folder": str(folder / "data"), "session": folder.name}
            if not is_url(target):
                target = shlex.join(filled(shlex.split(target), self._places))
            self._name = redact(target)
            given |= filled(server.env, self._places)
            given |= address.environment() if address else {}
            opening = self._open(target, given)
            try:
                self._portal = stack.enter_context(start_blocking_portal())
                opened = self._portal.wrap_async_context_manager(opening)
                self._client, self.tools = stack.enter_context(opened)
            except Exception as error:
                reason = self._not_started(target, _first(error))
                hinted = "" if is_url(target) else hint(reason, given)
                raise UsageError(reason + hinted) from error
            self._stack = stack.pop_all()

    async def call(self, tool: Tool, values: Mapping[str, str | int]) -> ToolResult:
        """Call a tool, with ``values`` and the places of this session in its arguments.

        Raises:
            RemoteError: when the tool says that it failed, or there is no reply.
        """
        name = f"{tool.tool} of {self._name}"
        if self._closed:
            raise RemoteError(f"{name}: the session is closed")
        arguments = filled(tool.arguments, {**self._places, **values})
        call = partial(self._client.call_tool, tool.tool, arguments)
        try:
            result = await asyncio.wrap_future(self._portal.start_task_soon(call))
        except Exception as error:
            reason = self._problem() or _reason(_first(error))
            raise RemoteError(f"{name}: {reason}{self._last_words()}") from error
        texts = [block.text for block in result.content if block.type == "text"]
        if result.is_error:
            message = " ".join(redact(" ".join(texts)).split())[:_SHOWN] or "failed without a word"
            raise RemoteError(f"{name}: {message}")
        return ToolResult(result.structured_content, texts)

    def end(self) -> None:
        """Stop the server, if it was started, and remove its folder; takes a few seconds."""
        self._closed = True
        with suppress(Exception):  # The calls told of what failed.
            self._stack.close()

    @asynccontextmanager
    async def _open(
        self, target: str, env: Mapping[str, str]
    ) -> AsyncIterator[tuple[Any, dict[str, list[str]]]]:
        from mcp import Client

        async with AsyncExitStack() as stack:
            if is_url(target):
                server: Any = await stack.enter_async_context(http_streams(target, self._problems))
            else:
                self._child = ChildProcess(shlex.split(target), env)
                server = stdio_streams(self._child)
            async with asyncio.timeout(_START_SECONDS):
                client = await stack.enter_async_context(Client(server))
                tools = await _tools(client)
            yield client, tools

    def _not_started(self, target: str, error: BaseException) -> str:
        if is_url(target):
            return f"no MCP server answers at {self._name}: {_reason(error)}; start it there"
        if self._child is None:
            why = _reason(error)
            led = why if why.startswith(self._name) else f"{self._name} cannot be run: {why}"
            return f"{led}; install the command, or correct it"
        reason = _reason(error)
        if isinstance(error, TimeoutError):
            reason = f"nothing was heard of it within {_START_SECONDS:g} s"
        reason = self._problem() or reason
        return f"{self._name} does not start as an MCP server: {reason}{self._last_words()}"

    def _problem(self) -> str | None:
        if self._child:
            return self._child.problem
        return self._problems[0] if self._problems else None

    def _last_words(self) -> str:
        """Return the end of the server's stderr, to be put after a message."""
        return self._child.last_words() if self._child else ""


async def _tools(client: Any) -> dict[str, list[str]]:
    tools: dict[str, list[str]] = {}
    cursor = None
    while True:
        page = await client.list_tools(cursor=cursor)
        for tool in page.tools:
            tools[tool.name] = list(tool.input_schema.get("properties", {}))
        cursor = page.next_cursor
        if cursor is None:
            return tools


def _first(error: BaseException) -> BaseException:
    """Return the first error in a group, however deep it lies."""
    return _first(error.exceptions[0]) if isinstance(error, BaseExceptionGroup) else error


def _reason(error: BaseException) -> str:
    return " ".join(redact(str(error)).split())[:_SHOWN] or type(error).__name__
