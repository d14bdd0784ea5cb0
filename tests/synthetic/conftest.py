"""The small data set of two seeds, made once."""

import pytest

from tests.synthetic.small import RowsOf, SmallData, small


@pytest.fixture(scope="session", params=[0, 1])
def data(request: pytest.FixtureRequest) -> SmallData:
    return small(request.param)


@pytest.fixture(scope="session")
def rows_of(data: SmallData) -> RowsOf:
    return lambda source: [row for row in data.rows if row.source == source]
