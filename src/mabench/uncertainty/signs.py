"""How many differences are positive, negative and 0."""

from __future__ import annotations

from typing import NamedTuple

from mabench.uncertainty.grouped import Floats


class SignCounts(NamedTuple):
    """How many differences are above 0, below 0 and 0."""

    wins: int
    losses: int
    ties: int

    @classmethod
    def of(cls, values: Floats) -> SignCounts:
        """Count the signs of differences."""
        above, below = int((values > 0).sum()), int((values < 0).sum())
        return cls(above, below, len(values) - above - below)
