"""Agents that note how they were used, to be named ``tests.export.agents:NAME``."""

from __future__ import annotations

import asyncio
from typing import ClassVar


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

    @classmethod
    def forget_all(cls) -> None:
        cls.made.clear()
        cls.most_at_once = 0
