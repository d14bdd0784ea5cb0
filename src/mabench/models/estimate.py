"""What calls would take and cost, before any is made."""

from __future__ import annotations

from typing import NamedTuple, Self

from mabench.models.prices import Price, load_prices
from mabench.models.usage import Usage
from mabench.specs import ModelSpec


class Estimate(NamedTuple):
    """What the calls for one source would take."""

    source: str
    calls: int  # Requests to the model; 0 without one.
    input_tokens: int
    output_tokens: int  # Of all replies, if each used its whole budget.
    cost: float | None  # US dollars; None when prices are unknown.
    hours: float  # At two seconds a reply.
    answers: int | None = None  # How many would be judged; None if none are.
    chunks: int | None = None  # About how many would be memorized; None if none are.
    chunk_tokens: int | None = None  # Of the longest chunk.
    done: int = 0  # How many questions are answered already, and are not in it.
    kept: int = 0  # How many requests of a judge have cached replies, and are not in it.

    @classmethod
    def of_calls(cls, model: ModelSpec, source: str, calls: int, taken: int, given: int) -> Self:
        """Return what calls with these tokens would take; raises as ``load_prices`` does."""
        price = Price.of(model.name, load_prices(model.prices))
        cost = price.cost(Usage(taken, given)) if price else None
        hours = calls * model.seconds_a_reply / model.concurrent_requests / 3600
        return cls(source, calls, taken, given, cost, hours)
