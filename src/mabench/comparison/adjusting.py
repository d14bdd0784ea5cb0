"""p values adjusted for their number, in one way everywhere."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np


def adjust_holm(values: Sequence[float]) -> list[float]:
    """Return p values whose family-wise error rate stays below their level (Holm 1979)."""
    order, adjusted = np.argsort(values, kind="stable"), np.empty(len(values))
    times = np.arange(len(values), 0, -1) * np.asarray(values)[order]
    adjusted[order] = np.maximum.accumulate(np.minimum(times, 1.0))
    return [float(p) for p in adjusted]
