"""The small data set of two seeds, made once."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from mabench.data.schema import Row
from tests.synthetic.small import SmallData, small


@pytest.fixture(scope="session", params=[0, 1])
def data(request: pytest.FixtureRequest) -> SmallData:
    return small(request.param)


@pytest.fixture(scope="session")
def rows_of(data: SmallData) -> Callable[[str], list[Row]]:
    return lambda source: [row for row in data.rows if row.source == source]
