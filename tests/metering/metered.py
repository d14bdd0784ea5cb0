"""A meter, and a row of it that calls a model and notes what is told of its calls."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx2 as httpx
import openai

from mabench.metering import Meter
from mabench.models import Call, ModelAddress, Price, ResponseCache, RetryPolicy, Road
from tests.models.server import KEY
from tests.waiting import until

PRICES = {"m": Price(1.0, 10.0), "e": Price(0.5, 0.0)}
QUICK = RetryPolicy(first=0.01, longest=0.02, attempts=4)
CHAT: dict[str, Any] = {
    "model": "m",
    "messages": [{"role": "user", "content": "The capital of France?"}],
}


class Row:
    """The address of a row, what was told of its calls, and what it missed."""

    def __init__(self, meter: Meter) -> None:
        self.meter = meter
        self.begun: list[Call] = []
        self.ended: list[Call] = []
        self.missed: list[str] = []
        self.endpoint = meter.endpoint(
            lambda call: (self.ended if call.ended else self.begun).append(call), self.missed.append
        )
        _, self.url, self.token = self.endpoint.address

    def post(self, path: str = "chat/completions", **body: Any) -> httpx.Response:
        return httpx.post(f"{self.url}/{path}", json=body or CHAT, timeout=20)

    def client(self) -> openai.OpenAI:
        return openai.OpenAI(base_url=self.url, api_key=self.token, max_retries=0)

    def wait(self, number: int) -> list[Call]:
        """Return the calls once so many have ended."""
        until(lambda: len(self.ended) >= number, 10)
        assert len(self.ended) == len(self.begun) == number
        return self.ended


@contextmanager
def metering(
    url: str, folder: Path | None = None, sends: bool = True, **road: Any
) -> Iterator[Meter]:
    """Meter the server at a URL, with the replies kept in a folder."""
    cache = ResponseCache(folder, reads_only=not sends) if folder else None
    address = ModelAddress("m", url, KEY)
    with Meter(address, PRICES, Road(**{"retry": QUICK, **road}), cache) as meter:
        yield meter
