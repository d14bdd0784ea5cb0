"""A server of models that misbehaves: between a memory and the models that it calls.

It must never store or print a key: it passes requests on as a ``Meter`` does.
"""

from __future__ import annotations

import asyncio
from functools import cached_property
from random import Random
from typing import TYPE_CHECKING

from mabench.errors import require
from mabench.metering import Meter
from mabench.models import ModelAddress

if TYPE_CHECKING:
    from aiohttp.web import BaseRequest, StreamResponse

_SLOW_SECONDS = 0.5
_FAULTS = ("slow", "429", "500", "cut off", "nonsense")
_NONSENSE = (
    b'{"choices": [{"message": {"content": "\\ud83d lorem }}{"}}], "data": [{"embedding": []}'
)


class FaultyModelServer(Meter):
    """Passes requests on to a server of models, and spoils some of them for a while.

    Replies are slow, refused, cut off or nonsense. A seed says which requests are spoiled, and how.
    """

    def __init__(self, address: ModelAddress, rate: float, seed: int) -> None:
        super().__init__(address, prices={})
        self._rate, self._seed = rate, seed
        self._rng: Random | None = None

    @cached_property
    def address(self) -> ModelAddress:
        """Where a memory finds it, once it listens."""
        return self.endpoint(lambda call: None).address

    def spoil(self, number: int) -> None:
        """Spoil requests from now on; the same number spoils the same ones in the same way."""
        self._rng = Random(f"{self._seed} {number}")  # noqa: S311

    def behave(self) -> None:
        """Spoil no request any more."""
        self._rng = None

    async def _answer(self, http: BaseRequest) -> StreamResponse:
        web, rng = require("aiohttp.web", "openai"), self._rng
        fault = rng.choice(_FAULTS) if rng and rng.random() < self._rate else None
        match fault:
            case "429" | "500":
                error = {"error": {"message": "a fault of mabench stress"}}
                return web.json_response(error, status=int(fault))  # type: ignore[no-any-return]
            case "nonsense":
                return web.Response(body=_NONSENSE, content_type="application/json")  # type: ignore[no-any-return]
            case "slow":
                await asyncio.sleep(_SLOW_SECONDS)
        response = await super()._answer(http)
        if fault == "cut off" and http.transport:
            response = await _send_half(http, response)
            http.transport.close()
        return response


async def _send_half(http: BaseRequest, response: StreamResponse) -> StreamResponse:
    """Send the first half of a reply that was not sent yet, and return what was sent."""
    web = require("aiohttp.web", "openai")
    body = b"" if response.prepared else getattr(response, "body", b"")
    if not body:
        return response
    half: StreamResponse = web.StreamResponse(
        status=response.status, headers={"Content-Length": str(len(body))}
    )
    await half.prepare(http)
    await half.write(body[: len(body) // 2])
    return half
