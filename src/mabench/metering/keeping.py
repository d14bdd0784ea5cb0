"""Keeping the replies to the calls of memories, and giving them back to the same calls."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Awaitable, Callable
from contextlib import nullcontext
from typing import TYPE_CHECKING
from urllib.parse import urlsplit
from weakref import WeakValueDictionary

from mabench.errors import DataError, require
from mabench.metering.asking import Asking
from mabench.metering.saying import refusal, set_headers
from mabench.metering.seats import Seat, Turn
from mabench.metering.usage import Usage
from mabench.models import KeptBody, ResponseCache
from mabench.models.replies.silence import not_kept
from mabench.redact import redact_values

if TYPE_CHECKING:
    from aiohttp import ClientResponse
    from aiohttp.web import BaseRequest, StreamResponse

_STREAM = "text/event-stream"
_PIECE = 64 * 1024  # Bytes.
_PORTS = {"http": 80, "https": 443}


class Place:
    """Where the reply to one request is kept.

    Args:
        keeper: keeps it.
        key: the name under which it is kept.

    Attributes:
        used: whether it is kept.
    """

    def __init__(self, keeper: Keeper, key: str) -> None:
        self.key = key
        self.used = False
        self._keeper = keeper

    def put(self, reply: ClientResponse, body: bytes, usage: Usage | None) -> bytes:
        """Keep a reply; return what is kept, which another process may have been first to do.

        A reply that holds one of our secrets is not kept, and neither is one that cannot be: it
        was paid for and is used all the same.
        """
        kind = reply.headers.get("Content-Type", "")
        encoding = reply.headers.get("Content-Encoding", "").lower()
        tokens = (usage.input, usage.output, usage.cached) if usage else None
        kept = KeptBody(kind, encoding, body, tokens, usage.estimated if usage else False)
        text = body.decode("utf-8", "replace")
        if not kept.can_be_kept or redact_values(text) != text:
            return body
        try:
            kept = self._keeper.store.put_body(self.key, kept)
            self.used = True
        except DataError as error:
            self._keeper.not_kept = str(error)
        return kept.body


class Keeper:
    """Keeps replies, and gives them back; one event loop uses it.

    Args:
        store: where they are kept.
        server: the URL of the server that gives them.
        sends: whether calls are sent whose replies are not kept.

    Attributes:
        store: as given.
        not_kept: why a reply could not be kept; None when all could.
    """

    def __init__(self, store: ResponseCache, server: str, *, sends: bool = True) -> None:
        self.store = store
        self.not_kept: str | None = None
        self._server = _named(server)
        self._sends = sends
        self._locks: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    async def answer(
        self,
        request: BaseRequest,
        asking: Asking,
        seat: Seat,
        send: Callable[[Place | None], Awaitable[StreamResponse]],
    ) -> StreamResponse:
        """Answer a call with the kept reply, else with that of the server, which is then kept.

        Equal requests wait for one, but for those of a row whose replies are drawn: who draws
        again wants another one. These have numbers, and another row, or another run, gets the
        same replies in the same order.

        Args:
            request: as it came.
            asking: what it asks for.
            seat: whose call it is.
            send: has the server answer, and its reply kept in a place.
        """
        whole = asking.key(self._server, request.headers)
        if not asking.can_be_kept:
            return await send(None) if self._sends else self._miss(asking, seat, whole.hex())
        with seat.turn(whole) if asking.samples else nullcontext(Turn(0)) as turn:
            key = hashlib.sha256(whole + turn.number.to_bytes(8)).hexdigest()
            async with self._locks.setdefault(key, asyncio.Lock()):
                kept = self.store.body(key)
                if kept is None and not self._sends:
                    return self._miss(asking, seat, key)
                if kept is None:
                    place = Place(self, key)
                    try:
                        return await send(place)
                    finally:
                        turn.used = place.used
            turn.used = True
            usage = Usage(*kept.tokens, kept.estimated) if kept.tokens else None
            seat.answered(asking.path, asking.model, usage, key)
        return await _given_back(request, kept)

    def close(self) -> None:
        """Close the store."""
        self.store.close()

    def _miss(self, asking: Asking, seat: Seat, key: str) -> StreamResponse:
        """Refuse a call whose reply would have to be kept."""
        said = not_kept(asking.path, asking.model, key, self.store.path.parent)
        seat.refused += 1
        seat.miss(said)
        return refusal(403, said)


async def _given_back(request: BaseRequest, kept: KeptBody) -> StreamResponse:
    """Give a kept reply back in the form in which it came: a stream as a stream."""
    web = require("aiohttp.web", "openai")
    headers = [("Content-Type", kept.type)] if kept.type else []
    if kept.encoding:
        headers.append(("Content-Encoding", kept.encoding))
    if kept.type.partition(";")[0].strip().lower() != _STREAM:
        whole = web.Response(body=kept.body)
        set_headers(whole, headers)
        return whole  # type: ignore[no-any-return]
    response = web.StreamResponse()
    set_headers(response, headers)
    await response.prepare(request)
    for start in range(0, len(kept.body), _PIECE):
        await response.write(kept.body[start : start + _PIECE])
    await response.write_eof()
    return response  # type: ignore[no-any-return]


def _named(server: str) -> str:
    """Return the URL of a server in the one form in which it is part of a name."""
    parts = urlsplit(server)
    host, port = (parts.hostname or "").lower(), parts.port
    shown = f":{port}" if port not in (None, _PORTS.get(parts.scheme)) else ""
    return f"{parts.scheme}://{host}{shown}{parts.path.rstrip('/')}"
