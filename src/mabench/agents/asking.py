"""Asking a language model for an answer, which says what it cost."""

from __future__ import annotations

from mabench.contract.interfaces import Answer, Query
from mabench.models import ReadingModel


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
        cut_off=reply.cut_off or None,
        prompt=f"{query.system}\n\n{prompt}" if query.system else prompt,
    )
