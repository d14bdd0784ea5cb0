from collections.abc import Iterator

import pytest

from tests.export.agents import Hearing, Noting


@pytest.fixture(autouse=True)
def _forget() -> Iterator[None]:
    Noting.forget_all()
    Hearing.heard.clear()
    yield
    Noting.forget_all()
