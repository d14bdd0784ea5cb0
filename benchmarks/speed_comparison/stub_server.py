"""A server that speaks chat completions, replies after a while, and counts requests in flight."""

from __future__ import annotations

import asyncio
import contextlib
import json
import multiprocessing
import urllib.request
from collections.abc import Iterator
from multiprocessing.connection import Connection
from typing import Final, NamedTuple

LATENCY: Final = 0.05  # seconds until a reply
_REPLY: Final = {
    "id": "x",
    "object": "chat.completion",
    "created": 0,
    "model": "m",
    "choices": [
        {
            "index": 0,
            "message": {"role": "assistant", "content": "42"},
            "finish_reason": "stop",
        }
    ],
    "usage": {"prompt_tokens": 20, "completion_tokens": 1, "total_tokens": 21},
}


class StubServer(NamedTuple):
    """Where the server is, for clients of OpenAI's protocol."""

    url: str

    def most_in_flight(self) -> int:
        """Return the most requests at one time since this was last asked, and begin anew."""
        with urllib.request.urlopen(f"{self.url}/most", timeout=10) as reply:
            return int(reply.read())


@contextlib.contextmanager
def stub_server(latency: float = LATENCY) -> Iterator[StubServer]:
    """Serve from a process of its own, which ends with the context; ``latency`` is in seconds."""
    here, there = multiprocessing.Pipe()
    process = multiprocessing.get_context("spawn").Process(
        target=_serve, args=(there, latency), daemon=True
    )
    process.start()
    try:
        yield StubServer(here.recv())
    finally:
        process.terminate()
        process.join()


class _Counter:
    def __init__(self) -> None:
        self.now = self.most = 0  # Requests in flight, and the most since that was asked.


def _serve(where: Connection, latency: float) -> None:
    counter = _Counter()

    async def serve() -> None:
        server = await asyncio.start_server(
            lambda reader, writer: _talk(reader, writer, counter, latency),
            "127.0.0.1",
            0,
            backlog=1024,
        )
        where.send(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1")
        await server.serve_forever()

    asyncio.run(serve())


async def _talk(
    reader: asyncio.StreamReader,
    writer: asyncio.StreamWriter,
    counter: _Counter,
    latency: float,
) -> None:
    """Reply to each request of a connection until the client leaves."""
    with contextlib.suppress(asyncio.IncompleteReadError, ConnectionError):
        while True:
            head = await reader.readuntil(b"\r\n\r\n")
            if head.startswith(b"GET"):
                body = str(counter.most).encode()
                counter.most = counter.now
            else:
                await reader.readexactly(_content_length(head))
                counter.now += 1
                counter.most = max(counter.most, counter.now)
                await asyncio.sleep(latency)
                counter.now -= 1
                body = json.dumps(_REPLY).encode()
            writer.write(
                b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
                b"Content-Length: %d\r\n\r\n%s" % (len(body), body)
            )
            await writer.drain()
    writer.close()


def _content_length(head: bytes) -> int:
    for line in head.split(b"\r\n"):
        name, _, value = line.partition(b":")
        if name.lower() == b"content-length":
            return int(value)
    return 0
