"""The streams over which an MCP client exchanges messages: those of a program, or HTTP."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, suppress
from typing import Any

from mabench.remote.channel import LONGEST_REPLY, RemoteError
from mabench.remote.child_process import ChildProcess
from mabench.remote.http_channel import limit_replies


@asynccontextmanager
async def stdio_streams(server: ChildProcess) -> AsyncIterator[tuple[Any, Any]]:
    """Yield the streams of messages from and to a program; close the program at the end."""
    import anyio
    from mcp.shared.message import SessionMessage
    from mcp_types import jsonrpc_message_adapter

    # Each pair is where messages are put in and taken out.
    arriving, replies = anyio.create_memory_object_stream[Any](0)
    requests, leaving = anyio.create_memory_object_stream[Any](0)
    in_thread = asyncio.get_running_loop().run_in_executor
    threads = ThreadPoolExecutor(3)

    async def read() -> None:
        """Pass the lines of the program on to the client as messages."""
        async with arriving:
            with suppress(RemoteError, anyio.BrokenResourceError):
                while line := await in_thread(threads, server.read_line):
                    if line.lstrip().startswith(b"{"):  # Some servers also print other lines.
                        await arriving.send(SessionMessage(parse(line)))
        server.kill()

    def parse(line: bytes) -> Any:
        try:
            return jsonrpc_message_adapter.validate_json(line, by_name=False)
        except ValueError as error:
            server.problem = f"{server.name} sent an invalid message: {line[:200]!r}"
            raise RemoteError(server.problem) from error

    async def write() -> None:
        """Pass the messages of the client on to the program as lines."""
        async with leaving:
            with suppress(OSError):
                async for request in leaving:
                    text = request.message.model_dump_json(by_alias=True, exclude_unset=True)
                    await in_thread(threads, server.write, text.encode() + b"\n")

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(read)
        tasks.start_soon(write)
        try:
            yield replies, requests
        finally:
            with anyio.CancelScope(shield=True):
                await in_thread(threads, server.end_input)
                await in_thread(threads, server.close)
            tasks.cancel_scope.cancel()
    threads.shutdown(wait=False)


@asynccontextmanager
async def http_streams(url: str, problems: list[str]) -> AsyncIterator[Any]:
    """Yield a transport over HTTP for a client; problems with replies are added to ``problems``."""
    from mcp.client.streamable_http import streamable_http_client
    from mcp.shared._httpx_utils import create_mcp_http_client

    logger = logging.getLogger("mcp")
    if not logger.handlers:  # It would print a traceback for each reply that it cannot read.
        logger.addHandler(logging.NullHandler())
    async with create_mcp_http_client() as client:
        limit_replies(client, problems.append)
        yield streamable_http_client(url, http_client=client, max_sse_event_size=LONGEST_REPLY)
