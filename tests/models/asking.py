"""Asking the model of a server, which is closed afterwards."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, TypeVar

from mabench.models import ModelSpec, Price, ReadingModel, Reply, ResponseCache, RetryPolicy
from mabench.models.server import ChatModel

T = TypeVar("T")

QUICK = RetryPolicy(attempts=4, first=0.01, longest=0.05, timeout=1.0, patience=0.5)


def with_model(
    url: str | None,
    work: Callable[[ReadingModel], Awaitable[T]],
    retry: RetryPolicy = QUICK,
    price: Price | None = None,
    cache: Path | None = None,
    **spec: Any,
) -> T:
    """Do some work with the model ``m`` of the server at a URL."""

    async def whole() -> T:
        client = ChatModel("m", url, retry)
        replies = ResponseCache(cache) if cache else None
        described = ModelSpec("m", base_url=url, **spec)
        model = ReadingModel(described, client, price=price, cache=replies, retry=retry)
        try:
            return await work(model)
        finally:
            await model.close()

    return asyncio.run(whole())


def ask(url: str | None, *prompts: str, **how: Any) -> list[Reply]:
    """Return the replies to prompts that are sent at once."""

    async def work(model: ReadingModel) -> list[Reply]:
        return await asyncio.gather(*(model.reply(prompt, 20) for prompt in prompts))

    return with_model(url, work, **how)
