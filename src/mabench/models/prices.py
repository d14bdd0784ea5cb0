"""What tokens of models cost: the price tables that users or we write."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from mabench.errors import UsageError
from mabench.models.usage import Usage
from mabench.specs.model import is_local
from mabench.userfile import read_tables

_MILLION = 1_000_000
# Dollars; what is added up must not overflow.
_HIGHEST = 1e9


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
        """Return the price of a model, with or without its provider in front; None if not clear.

        A model on this machine that is not listed costs nothing.
        """
        if is_local(model):
            return prices.get(model, cls(0.0, 0.0))
        name = model.rpartition("/")[2]
        exact = prices.get(model) or prices.get(name)
        if exact or model != name:
            return exact
        alike = {price for key, price in prices.items() if key.rpartition("/")[2] == name}
        return alike.pop() if len(alike) == 1 else None


def load_prices(path: Path | None = None) -> Mapping[str, Price]:
    """Return the prices of a TOML file by model; those that mabench ships when None."""
    file = path or Path(__file__).with_name("prices.toml")
    tables = read_tables(file, "give one with a table for each model", "prices")
    return {model: _read_price(table, f"{file}: [{model}]") for model, table in tables.items()}


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
