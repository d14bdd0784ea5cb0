"""Embedding models on servers; their requests go through a ``RequestGate`` like all others."""

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

# The prefix of names of models on servers.
SERVED = "openai/"
_PATH = "embeddings"
# How many texts are sent in one request.
_BATCH = 64
# An outage is not shown to the user here, so requests give up after 15 seconds of silence.
_RETRY = RetryPolicy(attempts=6, patience=15.0)


class ServedEmbedder:
    """A model on a server, with its connections in a thread and event loop of their own."""

    window = 8_000  # OpenAI's embedding models take 8,191 tokens.
    truncates = False

    def __init__(self, name: str, base_url: str | None, retry: RetryPolicy = _RETRY) -> None:
        address = ModelAddress.find(name, base_url)
        self._name, self._server = name, ModelServer(address, retry)
        self._where = f"{SERVED}{name} at {address.base_url}"
        self._gate = RequestGate(retry=retry, server=self._where)
        self._length = 0
        # Memories embed from many threads and event loops, but a connection belongs to one loop.
        self._loop = asyncio.new_event_loop()
        thread = threading.Thread(target=self._loop.run_forever, name="embeddings", daemon=True)
        thread.start()
        weakref.finalize(self, _close_server, self._server, self._loop, thread)

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return one vector for each text, all of the same length.

        Raises:
            ModelError: when the server returns none, or vectors of different lengths.
        """
        import numpy as np

        # A server may refuse an empty text; a blank one has no meaning either.
        inputs = [text.strip() or "." for text in texts]
        rows: list[list[float]] = []
        for start in range(0, len(inputs), _BATCH):
            send = partial(self._post, inputs[start : start + _BATCH])
            reply = self._gate.send_with_retries(send, probe=partial(self._post, ["."]))
            rows += asyncio.run_coroutine_threadsafe(reply, self._loop).result()
        if rows and not self._length:
            self._length = len(rows[0])
        if any(len(row) != self._length for row in rows):
            raise ModelError(f"{self._where}: the embeddings changed their length")
        return normalize(np.array(rows, dtype=np.float32))

    async def _post(self, inputs: list[str]) -> list[list[float]] | Failure:
        """Send one request, record the call, and return the vectors or the failure."""
        body = {"model": self._name, "input": inputs, "encoding_format": "float"}
        # The coroutine carries the context of the thread that called ``embed``.
        log = current_log.get()
        end = log.begin(_PATH, self._name, tuple(inputs), by="memory") if log else None
        outcome: list[list[float]] | Failure = Failure("it was given up")
        usage = None
        try:
            reply = await self._server.post(_PATH, body)
            if isinstance(reply, Failure):
                outcome = reply
            else:
                outcome = _parse_embeddings(reply, count=len(inputs))
            with suppress(ValueError):
                usage = Usage.read(reply)
            if usage is None and not isinstance(outcome, Failure):
                usage = Usage.estimate(body, "")
        finally:
            if end:
                error = redact(outcome.reason) if isinstance(outcome, Failure) else None
                end(usage=usage, error=error)
        return outcome


def _close_server(
    server: ModelServer, loop: asyncio.AbstractEventLoop, thread: threading.Thread
) -> None:
    """Close the connections, then stop the loop and wait a second for its thread.

    aiohttp warns of open connections if the loop stops first.
    """

    async def close() -> None:
        with suppress(Exception):
            await server.close()
        loop.stop()

    asyncio.run_coroutine_threadsafe(close(), loop)
    if threading.current_thread() is not thread:
        thread.join(1.0)


def _parse_embeddings(reply: Any, count: int) -> list[list[float]] | Failure:
    """Return the vectors of a reply in the order of the texts, or why it holds none."""
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
