"""The prices of models' tokens, from the table that mabench ships or a user's own."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from mabench.errors import UsageError
from mabench.models.usage import Usage
from mabench.specs.model import is_local
from mabench.userfile import read_tables

_MILLION = 1_000_000
# US dollars for a million tokens; sums of higher prices might overflow.
_HIGHEST = 1e9


class Price(NamedTuple):
    """The price of a model's tokens, in US dollars for a million."""

    input: float
    output: float
    window: int | None = None  # The context window in tokens, where it is known.
    cached_input: float | None = None  # For input in the server's cache; None: as ``input``.

    def cost(self, usage: Usage) -> float:
        """Return the cost of these tokens in US dollars."""
        cached_input = self.input if self.cached_input is None else self.cached_input
        fresh_tokens = usage.input_tokens - usage.cached_tokens
        millionths = (
            fresh_tokens * self.input
            + usage.cached_tokens * cached_input
            + usage.output_tokens * self.output
        )
        return millionths / _MILLION

    @classmethod
    def of(cls, model: str, prices: Mapping[str, Price]) -> Price | None:
        """Return the price of a model; None if it is not listed.

        A model may be named with its provider (``provider/name``) or without. A name without a
        provider takes the price of any provider, if all of them have the same. A
        model on this machine that is not listed costs nothing.
        """
        if is_local(model):
            return prices.get(model, cls(0.0, 0.0))
        name = model.rpartition("/")[2]
        listed = prices.get(model) or prices.get(name)
        names_provider = model != name
        if listed or names_provider:
            return listed
        of_providers = {price for key, price in prices.items() if key.rpartition("/")[2] == name}
        return of_providers.pop() if len(of_providers) == 1 else None


def load_prices(path: Path | None = None) -> Mapping[str, Price]:
    """Return the prices in a TOML file, by model; without a file, those that mabench ships.

    Raises:
        UsageError: when the file cannot be read, or a table of it is no price.
    """
    file = path or Path(__file__).with_name("prices.toml")
    tables = read_tables(file, "give one with a table for each model", "prices")
    return {model: _read_price(table, f"{file}: [{model}]") for model, table in tables.items()}


def _read_price(table: object, place: str) -> Price:
    """Return the price in one table of the file; ``place`` names the table in errors."""
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
