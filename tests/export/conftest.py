import pytest

from tests.export.agents import Hearing, Noting


@pytest.fixture(autouse=True)
def _nothing_noted() -> None:
    Noting.made, Noting.most_at_once, Hearing.heard = [], 0, []
