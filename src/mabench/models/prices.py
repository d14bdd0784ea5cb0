"""What tokens cost, how many a model takes at a time, and what calls of it would take."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple, Self

from mabench.errors import UsageError, reason
from mabench.models.calls import Usage
from mabench.specs import ModelSpec
from mabench.userfile import read_toml_file

_MILLION = 1_000_000
_HIGHEST = 1e9  # Dollars; what is added up must not overflow.


class Price(NamedTuple):
    """What a model's tokens cost, in US dollars for a million."""

    input: float
    output: float
    window: int | None = None  # The context window in tokens, where it is known.
    cached_input: float | None = None  # Of input that the server had kept; None for ``input``.

    def cost(self, usage: Usage) -> float:
        """Return what tokens cost, in US dollars."""
        cached = self.input if self.cached_input is None else self.cached_input
        fresh = (usage.input_tokens - usage.cached_tokens) * self.input
        output = usage.output_tokens * self.output
        return (fresh + usage.cached_tokens * cached + output) / _MILLION

    @classmethod
    def of(cls, model: str, prices: Mapping[str, Price]) -> Price | None:
        """Return the price of a model, with or without its provider in front; None if not clear."""
        name = model.rpartition("/")[2]
        exact = prices.get(model) or prices.get(name)
        if exact or model != name:
            return exact
        alike = {price for key, price in prices.items() if key.rpartition("/")[2] == name}
        return alike.pop() if len(alike) == 1 else None


def load_prices(path: Path | None = None) -> Mapping[str, Price]:
    """Return the prices of a TOML file by model; those that mabench ships when None."""
    file = path or Path(__file__).with_name("prices.toml")
    try:
        tables = read_toml_file(file)
    except (OSError, ValueError) as error:
        raise UsageError(
            f"{file}: not a readable TOML file: {reason(error)}; "
            "give one with a table for each model",
            parameter="prices",
        ) from error
    return {model: _read_price(table, f"{file}: [{model}]") for model, table in tables.items()}


class Estimate(NamedTuple):
    """What the calls for one source would take."""

    source: str
    calls: int  # Requests to the model; 0 without one.
    input_tokens: int
    output_tokens: int  # Of all replies, if each used its whole budget.
    cost: float | None  # US dollars; None when prices are unknown.
    hours: float  # At two seconds a reply.
    answers: int | None = None  # How many would be judged; None where none are.
    chunks: int | None = None  # About how many would be memorized; None where none are.
    chunk_tokens: int | None = None  # Of the longest chunk.
    done: int = 0  # How many questions are answered already, and are not in it.
    # How many questions, or requests of a judge, have kept replies, and are not in it.
    kept: int = 0

    @classmethod
    def of_calls(cls, model: ModelSpec, source: str, calls: int, taken: int, given: int) -> Self:
        """Return what calls with so many tokens would take; raises as ``load_prices`` does."""
        price = Price.of(model.name, load_prices(model.prices))
        cost = price.cost(Usage(taken, given)) if price else None
        hours = calls * model.seconds_a_reply / model.requests_in_flight / 3600
        return cls(source, calls, taken, given, cost, hours)


def _read_price(table: object, place: str) -> Price:
    if not isinstance(table, dict):
        raise UsageError(f"{place} must be a table with input and output")
    window, cached = table.get("window"), table.get("cached_input")
    if not (_is_price(table.get("input")) and _is_price(table.get("output"))):
        raise UsageError(f"{place}: input and output must be numbers from 0")
    if window is not None and (not isinstance(window, int) or window < 1):
        raise UsageError(f"{place}: window must be a whole number of tokens")
    if cached is not None and not _is_price(cached):
        raise UsageError(f"{place}: cached_input must be a number from 0")
    cached = None if cached is None else float(cached)
    return Price(float(table["input"]), float(table["output"]), window, cached)


def _is_price(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= _HIGHEST
