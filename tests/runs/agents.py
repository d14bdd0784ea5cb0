"""Agents that tests of runs share."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from functools import wraps
from typing import Any, ClassVar

from mabench.contract import Query
from mabench.lookup import resolve
from mabench.runs.conversation import Conversation
from mabench.specs import AgentSpec
from mabench.tasks.loops import run_to_end


class Oslo:
    """Forgets what it is told and answers Oslo."""

    def memorize(self, chunk: str) -> None: ...

    def answer(self, query: Query) -> Any:
        return "Oslo"


class Notes(Oslo):
    """Notes what it is told and asked; a fixture empties the lists before each test."""

    told: ClassVar[list[str]] = []
    asked: ClassVar[list[str]] = []
    queries: ClassVar[list[str]] = []  # As they are put, with all that stands around them.

    def memorize(self, chunk: str) -> None:
        self.told.append(chunk)

    def answer(self, query: Query) -> Any:
        self.asked.append(query.question)
        self.queries.append(str(query))
        return super().answer(query)


class Shelf:
    """Finds what it was told in the order of the telling."""

    def __init__(self) -> None:
        self.texts: list[str] = []

    def add(self, text: str) -> None:
        self.texts.append(text)

    def search(self, query: str, k: int) -> list[str]:
        return self.texts[:k]


def like(kind: type, **methods: Any) -> Any:
    """Return an agent that is as another but for some methods."""
    return type(kind.__name__, (kind,), methods)


def failing(error: BaseException) -> Callable[..., Any]:
    """Return a method that raises an error."""

    def fail(*_: object) -> Any:
        raise error

    return fail


def async_like(kind: type) -> Any:
    """An agent with the same methods, all of them async."""

    def method(name: str) -> Any:
        @wraps(getattr(kind, name))
        async def call(self: object, *arguments: object, **fields: object) -> Any:
            await asyncio.sleep(0)
            return getattr(kind, name)(self, *arguments, **fields)

        return call

    names = [name for name in dir(kind) if name[0] != "_" and callable(getattr(kind, name))]
    return type("Async", (kind,), {name: method(name) for name in names})


def converse(
    agent: Any,
    work: Callable[[Conversation], Awaitable[Any]],
    door: Mapping[str, Any] | None = None,
    **settings: Any,
) -> Any:
    """Make an agent, return what some work in a conversation with it comes to, and close it."""

    async def whole() -> Any:
        conversation = Conversation(resolve(AgentSpec(agent=agent, **settings)), **(door or {}))
        await conversation.make()
        try:
            return await work(conversation)
        finally:
            await conversation.close()

    return run_to_end(whole())
