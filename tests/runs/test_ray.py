"""Runs on a real local Ray: the same samples as here, and workers that are lost."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

import mabench
from mabench.contract import Query
from mabench.errors import UsageError
from mabench.results import Run
from mabench.runs.run import run as run_with
from mabench.specs import Limits
from tests.rows import dataset

ray = pytest.importorskip("ray", reason="the extra `ray` is not installed")
pytestmark = pytest.mark.slow


def _lines(run: Run) -> list[str]:
    return sorted((run.folder / "samples.jsonl").read_text(encoding="utf-8").splitlines())


@pytest.fixture(autouse=True)
def _quiet(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("RAY_DISABLE_IMPORT_WARNING", "1")
    yield
    ray.shutdown()


def test_a_run_on_ray_equals_the_local_one_sample_for_sample(tmp_path: Path) -> None:
    here = mabench.run("bm25", "synthetic:small", out=tmp_path / "here")
    there = run_with(
        "bm25", "synthetic:small", out=tmp_path / "there", executor="ray", limits=Limits(rows=4)
    )
    assert _lines(here) == _lines(there)
    scores = [
        {name: source["official"] for name, source in run.summary["sources"].items()}
        for run in (here, there)
    ]
    assert scores[0] == scores[1]


class Fragile:
    """Kills its worker once, in the middle of a row."""

    def memorize(self, chunk: str) -> None:
        pass

    def answer(self, query: Query) -> str:
        mark = Path(os.environ["MABENCH_TEST_MARK"])
        if "Who lives in Oslo" in query.question and not mark.exists():
            mark.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return "Oslo"


def test_a_lost_worker_costs_nothing_but_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MABENCH_TEST_MARK", str(tmp_path / "mark"))
    run = run_with(Fragile, dataset(), out=tmp_path / "run", executor="ray")
    assert (tmp_path / "mark").exists()
    keys = [sample.key for sample in run.samples()]
    assert len(keys) == len({*keys}) == 5
    assert all(sample.error is None for sample in run.samples())


class Deadly(Fragile):
    """Kills its worker every time."""

    def answer(self, query: Query) -> str:
        if "Who lives in Oslo" in query.question:
            os.kill(os.getpid(), signal.SIGKILL)
        return "Oslo"


def test_a_row_that_kills_every_worker_is_an_error_of_that_row(tmp_path: Path) -> None:
    run = run_with(Deadly, dataset(), out=tmp_path / "run", executor="ray")
    errors = [sample.error for sample in run.samples() if sample.error]
    assert errors == ["the worker was lost 3 times"]
    assert len(list(run.samples())) == 5


def test_an_agent_that_cannot_be_made_is_one_line(tmp_path: Path) -> None:
    class Broken:
        def __init__(self) -> None:
            raise ValueError("no such store")

    with pytest.raises(UsageError, match="no such store"):
        run_with(Broken, dataset(), out=tmp_path / "run", executor="ray")


def test_a_run_goes_on_from_ray_to_here(tmp_path: Path) -> None:
    first = run_with("bm25", "synthetic:small", out=tmp_path / "run", executor="ray")
    lines = (first.folder / "samples.jsonl").read_text(encoding="utf-8").splitlines(keepends=True)
    (first.folder / "samples.jsonl").write_text("".join(lines[:50]), encoding="utf-8")
    again = mabench.run("bm25", "synthetic:small", out=tmp_path / "run")
    assert _lines(again) == sorted(line.rstrip("\n") for line in lines)
    assert json.loads(lines[0])["error"] is None
