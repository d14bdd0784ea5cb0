"""A session with an MCP server, in a thread of its own.

The client's context must be entered and left by one task, while the methods of a memory are
called from wherever the engine likes; so a task holds the session until it is closed.
"""

from __future__ import annotations

import asyncio
import os
import shlex
import threading
from collections.abc import Mapping
from concurrent.futures import Future
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any, TextIO

from mabench.errors import UsageError, require
from mabench.redact import redact
from mabench.remote.channel import RemoteError
from mabench.remote.mcp_mapping import is_url
from mabench.remote.mcp_results import ToolResult

_START_SECONDS = 120.0  # npx and uvx may have to fetch the server first.
_LAST_WORDS = 5  # Lines of a server's stderr.
_SHOWN = 300


class McpSession:
    """A server, started by a command or reached over HTTP, until it is closed.

    Args:
        target: a command line, or a URL.
        env: environment variables for the command, beside those of this process.
        log: the file that takes what the server writes on stderr.

    Attributes:
        tools: the names of the arguments of each tool that the server has, by its name.

    Raises:
        MissingPackageError: when the package mcp is not installed.
        UsageError: when the server does not start or nothing answers.
    """

    def __init__(self, target: str, env: Mapping[str, str], log: Path) -> None:
        require("mcp.client.client", "mcp")
        self.tools: dict[str, list[str]] = {}
        self._name = redact(target)
        self._log = log
        self._ready: Future[tuple[Any, asyncio.AbstractEventLoop]] = Future()
        self._ended = asyncio.Event()
        self._thread = threading.Thread(
            target=lambda: asyncio.run(self._hold(target, env)), daemon=True
        )
        self._thread.start()
        try:
            self._client, self._loop = self._ready.result()
        except Exception as error:
            self._thread.join()
            raise UsageError(self._not_started(target, _first(error))) from error

    async def call(self, tool: str, arguments: Mapping[str, Any]) -> ToolResult:
        """Call a tool.

        Raises:
            RemoteError: when the tool says that it failed, or there is no reply.
        """
        if not self._thread.is_alive():
            raise RemoteError(f"{tool} of {self._name}: the session is closed")
        calling = self._client.call_tool(tool, dict(arguments))
        try:
            result = await asyncio.wrap_future(
                asyncio.run_coroutine_threadsafe(calling, self._loop)
            )
        except Exception as error:
            reason = _reason(_first(error))
            raise RemoteError(f"{tool} of {self._name}: {reason}{self._last_words()}") from error
        texts = [block.text for block in result.content if block.type == "text"]
        if result.is_error:
            message = redact(" ".join(" ".join(texts).split()))[:_SHOWN] or "failed without a word"
            raise RemoteError(f"{tool} of {self._name}: {message}")
        return ToolResult(result.structured_content, texts)

    def end(self) -> None:
        """End the session and stop the server that was started for it; takes a few seconds."""
        if self._thread.is_alive():
            self._loop.call_soon_threadsafe(self._ended.set)
            self._thread.join()

    async def _hold(self, target: str, env: Mapping[str, str]) -> None:
        try:
            async with AsyncExitStack() as stack:
                async with asyncio.timeout(_START_SECONDS):
                    server = self._server(target, env, stack)
                    client = await stack.enter_async_context(server)
                    self.tools = await _tools(client)
                self._ready.set_result((client, asyncio.get_running_loop()))
                await self._ended.wait()
        except BaseException as error:
            # Once the session has been open, its calls tell of failures.
            if not self._ready.done():
                self._ready.set_exception(error)

    def _server(self, target: str, env: Mapping[str, str], stack: AsyncExitStack) -> Any:
        from mcp import Client, StdioServerParameters
        from mcp.client.stdio import stdio_client

        if is_url(target):
            return Client(target)
        command, *arguments = shlex.split(target)
        log: TextIO = stack.enter_context(self._log.open("w", encoding="utf-8"))
        parameters = StdioServerParameters(
            command=command, args=arguments, env={**os.environ, **env}
        )
        return Client(stdio_client(parameters, errlog=log))

    def _not_started(self, target: str, error: BaseException) -> str:
        if is_url(target):
            return f"no MCP server answers at {self._name}: {_reason(error)}; start it there"
        if isinstance(error, FileNotFoundError | PermissionError):
            return f"{self._name} cannot be run: {_reason(error)}; install the command"
        if isinstance(error, TimeoutError):
            reason = f"nothing was heard of it within {_START_SECONDS:g} s"
        else:
            reason = _reason(error)
        return f"{self._name} does not start as an MCP server: {reason}{self._last_words()}"

    def _last_words(self) -> str:
        """Return the end of the server's stderr, to be put after a message."""
        try:
            lines = self._log.read_text("utf-8", errors="replace").strip().splitlines()
        except OSError:
            return ""
        return redact("; its last words: " + " / ".join(lines[-_LAST_WORDS:])) if lines else ""


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
    return redact(" ".join(str(error).split()))[:_SHOWN] or type(error).__name__
