"""What calls of a model would take, without making them."""

from __future__ import annotations

from typing import NamedTuple

from mabench.models.prices import load_prices, price_of
from mabench.models.spec import ModelSpec

# Seconds that a reply is assumed to take; requests in flight share them.
SECONDS_A_REPLY = 2.0


class Estimate(NamedTuple):
    """What the calls for one source would take.

    Attributes:
        source: the source.
        calls: requests to the model; 0 without one.
        input_tokens: of all requests.
        output_tokens: of all replies, if each used its whole budget.
        cost: US dollars; None when prices are unknown.
        hours: at two seconds a reply.
        answers: how many answers would be judged; None where none are.
    """

    source: str
    calls: int
    input_tokens: int
    output_tokens: int
    cost: float | None
    hours: float
    answers: int | None = None


def estimate_calls(
    model: ModelSpec, source: str, calls: int, input_tokens: int, output_tokens: int
) -> Estimate:
    """Return what so many calls would take.

    Raises:
        UsageError: when the prices cannot be read.
    """
    price = price_of(model.name, load_prices(model.prices))
    cost = price.cost(input_tokens, output_tokens) if price else None
    hours = calls * SECONDS_A_REPLY / model.requests_in_flight / 3600
    return Estimate(source, calls, input_tokens, output_tokens, cost, hours)
