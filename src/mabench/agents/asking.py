"""Asks a language model for an agent's answer."""

from __future__ import annotations

from mabench.contract.interfaces import Answer, Query
from mabench.models import ReadingModel


async def ask_model(
    model: ReadingModel, prompt: str, query: Query, dropped_tokens: int | None = None
) -> Answer:
    """Return a model's reply as an answer, with its tokens and its cost.

    Args:
        model: the language model.
        prompt: all that it is shown: the query, and what the agent remembers.
        query: what the agent was asked.
        dropped_tokens: how many tokens of what the agent remembers were cut off, for the record.

    Raises:
        ModelError: when the model does not reply.
    """
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
