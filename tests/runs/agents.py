"""Agents that tests of runs share."""

from __future__ import annotations

import asyncio
from typing import Any

from mabench.contract import Query


class Oslo:
    """Forgets what it is told and answers Oslo."""

    def memorize(self, chunk: str) -> None: ...

    def answer(self, query: Query) -> Any:
        return "Oslo"


def async_like(kind: type) -> type:
    """An agent with the same methods, all of them async."""

    class Async:
        def __init__(self) -> None:
            self.agent: Any = kind()

        def __getattr__(self, name: str) -> Any:
            return getattr(self.agent, name)

    def method(name: str) -> Any:
        async def call(self: Async, *arguments: object) -> Any:
            await asyncio.sleep(0)
            return getattr(self.agent, name)(*arguments)

        return call

    for name in dir(kind):
        if not name.startswith("_") and callable(getattr(kind, name)):
            setattr(Async, name, method(name))
    return Async
