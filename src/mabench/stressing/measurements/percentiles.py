"""Percentiles of what was measured."""

from __future__ import annotations

from collections.abc import Sequence


def percentiles(values: Sequence[float]) -> tuple[float, float, float, float]:
    """Return the 50th, 95th and 99th percentile, each a value that occurred, and the maximum."""
    ordered = sorted(values)
    ranks = (-(-len(ordered) * share // 100) - 1 for share in (50, 95, 99))
    p50, p95, p99 = (round(ordered[rank], 4) for rank in ranks)
    return p50, p95, p99, round(ordered[-1], 4)
