"""p values adjusted for their number, in one way everywhere."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np


def adjust_holm(values: Sequence[float]) -> list[float]:
    """Return p values whose family-wise error rate stays below their level (Holm 1979).

    The smallest of m values is multiplied by m, the next by m - 1, and so on. None becomes larger
    than 1, or smaller than a value before it. The result is in the order of ``values``.
    """
    smallest_first = np.argsort(values, kind="stable")
    factors = np.arange(len(values), 0, -1)
    multiplied = factors * np.asarray(values)[smallest_first]
    adjusted = np.empty(len(values))
    # Back in the places that the values had.
    adjusted[smallest_first] = np.maximum.accumulate(np.minimum(multiplied, 1.0))
    return [float(p) for p in adjusted]
