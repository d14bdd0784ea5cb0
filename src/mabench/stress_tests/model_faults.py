"""A meter that misbehaves now and then: slow, refusing, cut off, or nonsense.

It stands between a memory and the server of models that the memory calls, as in runs, and passes on
what it does not spoil. A seed says what is spoiled, and how.
"""

from __future__ import annotations

import asyncio
from random import Random
from typing import TYPE_CHECKING, Self

from mabench.errors import require
from mabench.metering import Meter
from mabench.models import ModelAddress

if TYPE_CHECKING:
    from aiohttp.web import BaseRequest, StreamResponse

_SLOW_SECONDS = 1.0
_WAYS = ("slow", "429", "500", "cut off", "nonsense")
_NONSENSE = (
    b'{"choices": [{"message": {"content": "\\ud83d lorem }}{"}}], "data": [{"embedding": []}'
)


class SpoilingMeter(Meter):
    """Spoils calls for a while, at a rate; a memory finds it at its ``address``."""

    address: ModelAddress

    def __init__(self, address: ModelAddress, rate: float, seed: int) -> None:
        super().__init__(address, prices={})
        self._rate, self._seed = rate, seed
        self._rng: Random | None = None

    def __enter__(self) -> Self:
        """Listen, or raise a ``MabenchError`` where no port of loopback can be had."""
        super().__enter__()
        self.address = self.endpoint(lambda call: None).address
        return self

    def spoil(self, number: int | None) -> None:
        """Spoil calls from now on, the same of each number; none more for None."""
        self._rng = None if number is None else Random(f"{self._seed} {number}")  # noqa: S311

    async def _answer(self, http: BaseRequest) -> StreamResponse:
        web, rng = require("aiohttp.web", "openai"), self._rng
        way = rng.choice(_WAYS) if rng and rng.random() < self._rate else None
        match way:
            case "429" | "500":
                error = {"error": {"message": "a fault of mabench stress"}}
                return web.json_response(error, status=int(way))  # type: ignore[no-any-return]
            case "nonsense":
                return web.Response(body=_NONSENSE, content_type="application/json")  # type: ignore[no-any-return]
            case "slow":
                await asyncio.sleep(_SLOW_SECONDS)
        response = await super()._answer(http)
        if way == "cut off" and http.transport:
            body = b"" if response.prepared else getattr(response, "body", b"")
            if body:
                response = web.StreamResponse(
                    status=response.status, headers={"Content-Length": str(len(body))}
                )
                await response.prepare(http)
                await response.write(body[: len(body) // 2])
            http.transport.close()
        return response
