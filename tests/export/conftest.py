import pytest

import mabench
from mabench.results import Run
from tests.export.agents import Hearing, Noting
from tests.rows import dataset


@pytest.fixture(scope="session")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    return mabench.run("bm25", dataset(), out=tmp_path_factory.mktemp("bm25") / "run")


@pytest.fixture(autouse=True)
def _nothing_noted() -> None:
    Noting.made, Noting.most_at_once, Hearing.heard = [], 0, []
