"""Means of several sources: columns, categories and the overall score."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from mabench.uncertainty.intervals import Spread


class Part(NamedTuple):
    """A source's part in a weighted mean.

    Attributes:
        weight: its weight; those of a mean add up to 1.
        mean: its own mean.
        spread: how uncertain that is.
    """

    weight: float
    mean: float
    spread: Spread


def combined(parts: Sequence[Part]) -> tuple[float, Spread]:
    """Return a weighted mean of independent parts, and how uncertain it is.

    V = sum of w^2 V_s; the degrees of freedom are Satterthwaite's, V^2 / sum of (w^2 V_s)^2 / f_s.
    """
    mean = sum(part.weight * part.mean for part in parts)
    shares = [part.weight**2 * part.spread.variance for part in parts]
    variance = sum(shares)
    uncertain = zip(shares, parts, strict=True)
    weighed = sum(share**2 / part.spread.freedom for share, part in uncertain)
    freedom = variance**2 / weighed if weighed else max(part.spread.freedom for part in parts)
    return mean, Spread(variance, freedom)
