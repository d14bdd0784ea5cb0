"""Estimates the tokens, cost and hours of model calls before any is made."""

from __future__ import annotations

from typing import NamedTuple, Self

from mabench.models.prices import Price, load_prices
from mabench.models.usage import Usage
from mabench.specs import ModelSpec

_SECONDS_AN_HOUR = 3600


class CostEstimate(NamedTuple):
    """The expected calls for one source, with their tokens, cost and hours."""

    source: str
    calls: int  # Requests to the model; 0 for an agent without a model.
    input_tokens: int
    output_tokens: int  # The maximum: every reply uses its whole budget.
    cost: float | None  # US dollars; None when prices are unknown.
    hours: float  # At ``ModelSpec.seconds_a_reply`` for each reply.
    answers: int | None = None  # Answers to be judged; None for an estimate without a judge.
    chunks: int | None = None  # Chunks to be memorized, about; None if nothing is memorized.
    chunk_tokens: int | None = None  # Tokens of the longest chunk.
    done: int = 0  # Questions that are answered already; they are not included.
    kept: int = 0  # Judge requests with cached replies; they are not included.

    @classmethod
    def of_calls(
        cls, model: ModelSpec, source: str, *, calls: int, input_tokens: int, output_tokens: int
    ) -> Self:
        """Return the estimate of that many calls with these tokens in total.

        Raises:
            UsageError: when the file of prices cannot be read.
        """
        price = Price.of(model.name, load_prices(model.prices))
        cost = price.cost(Usage(input_tokens, output_tokens)) if price else None
        hours = calls * model.seconds_a_reply / model.concurrent_requests / _SECONDS_AN_HOUR
        return cls(source, calls, input_tokens, output_tokens, cost, hours)
