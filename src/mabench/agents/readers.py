"""Readers: what turns passages and a query into an answer, with a language model or without."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import cast

from mabench.contract.interfaces import Answer, Passage, Query, Reader
from mabench.errors import UsageError
from mabench.models import ReadingModel
from mabench.plugins import Group, load_plugin, plugins


class ModelReader:
    """Shows the passages and the prompt to a language model, and returns its reply.

    They stand there as ``Memory 1:`` and so on, as published with arXiv 2507.05257.
    """

    def __init__(self, model: ReadingModel) -> None:
        self._model = model

    async def read(self, query: Query, passages: Sequence[Passage]) -> Answer:
        """Answer from ``passages``, or raise a ``ModelError``."""
        memories = [f"Memory {i}:\n{p.text}" for i, p in enumerate(passages, start=1)]
        return await ask_model(self._model, "\n\n".join([*memories, str(query)]), query)


async def ask_model(
    model: ReadingModel, prompt: str, query: Query, dropped_tokens: int | None = None
) -> Answer:
    """Return a model's reply as an answer, with its cost, or raise a ``ModelError``."""
    reply = await model.reply(prompt, query.max_tokens, system=query.system)
    return Answer(
        reply.text,
        input_tokens=reply.usage.input_tokens,
        output_tokens=reply.usage.output_tokens,
        tokens_estimated=reply.usage.estimated,
        cost=model.cost(reply.usage),
        dropped_tokens=dropped_tokens,
        prompt=f"{query.system}\n\n{prompt}" if query.system else prompt,
    )


def reader_without_model() -> Reader:
    """Return the first reader that an entry point brings, or raise a ``UsageError``."""
    points = plugins(Group.READERS)
    if not points:
        raise UsageError(
            "no reader without a model is installed: name a model with `model`, or install mabench "
            "again, whose part mabench_floor brings one",
            parameter="model",
        )
    factory = cast("Callable[[], Reader]", load_plugin(next(iter(points.values())), "reader"))
    return factory()
