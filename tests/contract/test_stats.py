from __future__ import annotations

import numpy as np
import pytest

from mabench.contract.stats import stats_of


@pytest.mark.parametrize(
    ("told", "memories", "size"),
    [
        ({"memories": 3, "bytes": 40}, 3, 40),
        ({"memories": 0}, 0, None),
        ({"bytes": np.int64(8), "more": "ignored"}, None, 8),
        ({"memories": -1, "bytes": 2.5}, None, None),
        ({"memories": True, "bytes": "12"}, None, None),
        ({}, None, None),
        (None, None, None),
        (7, None, None),
        ([("memories", 3)], None, None),
    ],
)
def test_what_is_no_count_is_taken_for_not_told(
    told: object, memories: int | None, size: int | None
) -> None:
    assert stats_of(told) == (memories, size)
