import pytest

from tests.runs.agents import Notes


@pytest.fixture(autouse=True)
def _nothing_noted() -> None:
    Notes.told, Notes.asked, Notes.queries = [], [], []
