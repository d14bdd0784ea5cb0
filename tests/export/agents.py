"""Agents that note how they were used, to be named ``tests.export.agents:NAME``.

A fixture empties their lists before each test.
"""

from __future__ import annotations

import asyncio
import os
from typing import ClassVar

from mabench.contract import Query
from tests.metering.memories import call
from tests.runs.agents import Oslo


class Noting:
    """Answers with the last line that shares a word with the question; fails when told to."""

    made: ClassVar[list[Noting]] = []
    most_at_once: ClassVar[int] = 0

    def __init__(self, fail_on: str = "nothing", forget: bool = False) -> None:
        self.told: list[str] = []
        self.asked: list[str] = []
        self.closed = False
        self._busy = 0
        self._fail_on = fail_on
        self._forget = forget
        Noting.made.append(self)

    async def memorize(self, chunk: str) -> None:
        if self._forget:
            raise OSError("no room left")
        await asyncio.sleep(0)
        self.told.append(chunk)

    async def answer(self, query: str) -> str:
        self._busy += 1
        Noting.most_at_once = max(Noting.most_at_once, self._busy)
        await asyncio.sleep(0.001)
        self._busy -= 1
        self.asked.append(query)
        if self._fail_on in query:
            raise ValueError("I will not say")
        return "Bern"

    def close(self) -> None:
        self.closed = True


class Hearing:
    """Notes everything that it hears, calls its model for each chunk, and takes its time."""

    heard: ClassVar[list[object]] = []

    def __init__(self, model: dict[str, str], hang_on: str = "nothing") -> None:
        self._model = model
        self._hang_on = hang_on
        self.heard.append(sorted(model))

    def memorize(self, chunk: str) -> None:
        self.heard.append(chunk)
        body = {"model": self._model["name"], "messages": [{"role": "user", "content": chunk}]}
        call(self._model["base_url"], self._model["api_key"], "chat/completions", body)

    async def answer(self, query: Query) -> str:
        put = (str(query), query.question, query.search_query, query.max_tokens, query.system)
        self.heard.append(put)
        if self._hang_on in query:
            await asyncio.sleep(60)
        return "Bern"


class Secretive(Oslo):
    def answer(self, query: Query) -> str:
        return os.environ["SOME_SECRET"]
