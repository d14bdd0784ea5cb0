"""Weighted means of independent parts, such as a mean over sources."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from mabench.uncertainty.intervals import Spread


class WeightedPart(NamedTuple):
    """A source's part in a weighted mean; the weights add up to 1."""

    weight: float
    mean: float
    spread: Spread

    @staticmethod
    def combine(parts: Iterable[WeightedPart]) -> tuple[float, Spread]:
        """Return a weighted mean of independent parts, and how uncertain it is.

        V = sum of w^2 V_s; the degrees of freedom are Satterthwaite's, V^2 / sum of
        (w^2 V_s)^2 / f_s.
        """
        parts = list(parts)
        mean = sum(part.weight * part.mean for part in parts)
        shares = [part.weight**2 * part.spread.variance for part in parts]
        variance = sum(shares)
        denominator = sum(
            share**2 / part.spread.freedom for share, part in zip(shares, parts, strict=True)
        )
        if denominator:
            freedom = variance**2 / denominator
        else:  # Nothing is uncertain, so that the degrees of freedom do not matter.
            freedom = max(part.spread.freedom for part in parts)
        return mean, Spread(variance, freedom)
