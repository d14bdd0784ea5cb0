"""Embedding models on servers, whose requests go through the gate of all others."""

from __future__ import annotations

import asyncio
import itertools
import math
import threading
import weakref
from collections.abc import Sequence
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any

from mabench.models.address import ModelAddress
from mabench.models.call_log import current_log
from mabench.models.embeddings.vectors import normalize
from mabench.models.errors import ModelError
from mabench.models.failure import Failure
from mabench.models.request_gate import RequestGate
from mabench.models.server import ModelServer
from mabench.models.usage import Usage
from mabench.redact import redact
from mabench.specs.model import RetryPolicy

if TYPE_CHECKING:
    from mabench.models.embeddings.vectors import Vectors

# How the names of models on servers begin.
SERVED = "openai/"
_PATH = "embeddings"
# How many texts a request holds.
_BATCH = 64
# Nothing tells of an outage here, so that nobody waits for its end for long.
_RETRY = RetryPolicy(attempts=6, patience=15.0)


class ServedEmbedder:
    """A model on a server; a thread of its own has the connections."""

    window = 8_000  # OpenAI's embedding models take 8,191 tokens.
    truncates = False

    def __init__(self, name: str, base_url: str | None, retry: RetryPolicy = _RETRY) -> None:
        address = ModelAddress.find(name, base_url)
        self._name, self._server = name, ModelServer(address, retry)
        self._where = f"{SERVED}{name} at {address.base_url}"
        self._road = RequestGate(retry=retry, server=self._where)
        self._length = 0
        # Memories are called in threads and in event loops; connections belong to one loop.
        self._loop = asyncio.new_event_loop()
        thread = threading.Thread(target=self._loop.run_forever, name="embeddings", daemon=True)
        thread.start()
        weakref.finalize(self, _end, self._server, self._loop, thread)

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return a vector for each text; raise a ``ModelError`` if the server gives none."""
        import numpy as np

        # A server may refuse an empty text; a blank one has no meaning either.
        inputs = [text.strip() or "." for text in texts]
        rows: list[list[float]] = []
        for start in range(0, len(inputs), _BATCH):
            send = partial(self._post, inputs[start : start + _BATCH])
            reply = self._road.send_with_retries(send, partial(self._post, ["."]))
            rows += asyncio.run_coroutine_threadsafe(reply, self._loop).result()
        self._length = self._length or len(rows[0] if rows else ())
        if any(len(row) != self._length for row in rows):
            raise ModelError(f"{self._where}: the embeddings changed their length")
        return normalize(np.array(rows, dtype=np.float32))

    async def _post(self, inputs: list[str]) -> list[list[float]] | Failure:
        body = {"model": self._name, "input": inputs, "encoding_format": "float"}
        log = current_log.get()  # That of the thread which embeds: it came with the coroutine.
        end = log.begin(_PATH, self._name, tuple(inputs), by="memory") if log else None
        outcome: list[list[float]] | Failure = Failure("it was given up")
        usage = None
        try:
            reply = await self._server.post(_PATH, body)
            outcome = reply if isinstance(reply, Failure) else _read(reply, len(inputs))
            with suppress(ValueError):
                usage = Usage.read(reply)
            if usage is None and not isinstance(outcome, Failure):
                usage = Usage.estimate(body, "")
        finally:
            if end:
                error = redact(outcome.reason) if isinstance(outcome, Failure) else None
                end(usage=usage, error=error)
        return outcome


def _end(server: ModelServer, loop: asyncio.AbstractEventLoop, thread: threading.Thread) -> None:
    async def close() -> None:  # Before the loop stops, else aiohttp complains of connections.
        with suppress(Exception):
            await server.close()
        loop.stop()

    asyncio.run_coroutine_threadsafe(close(), loop)
    if threading.current_thread() is not thread:
        thread.join(1.0)


def _read(reply: Any, count: int) -> list[list[float]] | Failure:
    try:
        items = sorted(reply["data"], key=lambda item: item["index"])
        vectors = [[float(number) for number in item["embedding"]] for item in items]
    except (KeyError, TypeError, ValueError, OverflowError):
        return Failure("the reply holds no embeddings")
    if not all(vectors):
        return Failure("the reply holds empty embeddings")
    if len(vectors) != count:
        return Failure(f"the reply holds {len(vectors)} embeddings of {count} texts")
    if not all(map(math.isfinite, itertools.chain(*vectors))):
        return Failure("the embeddings of the reply contain a value that is not a number")
    return vectors
