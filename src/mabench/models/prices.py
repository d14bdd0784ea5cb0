"""What tokens cost, and how many a model takes at a time."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from importlib import resources
from pathlib import Path
from typing import NamedTuple

from mabench.errors import UsageError

_MILLION = 1_000_000


class Price(NamedTuple):
    """US dollars for a million tokens of input and of output, and the context window in tokens."""

    input: float
    output: float
    window: int | None = None

    def cost(self, input_tokens: int, output_tokens: int) -> float:
        """Return what so many tokens cost, in US dollars."""
        return (input_tokens * self.input + output_tokens * self.output) / _MILLION


def load_prices(path: Path | None = None) -> Mapping[str, Price]:
    """Return the prices of a TOML file by model; those that mabench ships when None.

    The file has a table for each model, with ``input`` and ``output`` in US dollars for a million
    tokens, and ``window`` when it is known.

    Raises:
        UsageError: when the file cannot be read, or a price is no number.
    """
    if path is None:
        text = resources.files("mabench.models").joinpath("prices.toml").read_text("utf-8")
        return _parsed(tomllib.loads(text), "the prices that mabench ships")
    try:
        return _parsed(tomllib.loads(path.read_text(encoding="utf-8")), str(path))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise UsageError(
            f"{path}: not a readable TOML file: {error}", parameter="prices"
        ) from error


def price_of(model: str, prices: Mapping[str, Price]) -> Price | None:
    """Return the price of a model, with or without its provider in front; None if unknown."""
    return prices.get(model) or prices.get(model.rpartition("/")[2])


def _parsed(tables: Mapping[str, object], place: str) -> Mapping[str, Price]:
    prices = {}
    for model, table in tables.items():
        if not isinstance(table, dict):
            raise UsageError(f"{place}: [{model}] must be a table with input and output")
        paid, window = (table.get("input"), table.get("output")), table.get("window")
        if not all(isinstance(price, int | float) and price >= 0 for price in paid):
            raise UsageError(f"{place}: [{model}]: input and output must be numbers from 0")
        if window is not None and (not isinstance(window, int) or window < 1):
            raise UsageError(f"{place}: [{model}]: window must be a whole number of tokens")
        prices[model] = Price(float(table["input"]), float(table["output"]), window)
    return prices
