"""Percentiles of what was measured."""

from __future__ import annotations

import math
from collections.abc import Sequence


def percentiles(values: Sequence[float]) -> tuple[float, float, float, float]:
    """Return the 50th, 95th and 99th percentile, each a value that occurred, and the maximum."""
    ordered = sorted(values)

    def percentile(percent: int) -> float:
        rank = math.ceil(len(ordered) * percent / 100)  # From 1.
        return round(ordered[rank - 1], 4)

    return percentile(50), percentile(95), percentile(99), round(ordered[-1], 4)
