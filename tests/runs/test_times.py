"""Adds, searches and readiness are timed apart, and no time changes what is scored."""

import time
from pathlib import Path
from typing import Any

import pytest
from benchmarks.overhead import MEMORIES, measure

import mabench
from mabench.results import MemorySummary, Run
from mabench.specs import Limits
from tests.rows import dataset
from tests.runs.agents import Oslo, Shelf, async_like
from tests.runs.test_diagnostics import PAIRS, RULER, examined, figures, recorded, ruler_row


class Slow(Shelf):
    """Takes 30 ms to add a text, 100 ms until it is found, and 10 ms to search."""

    waits = True

    def __init__(self) -> None:
        super().__init__()
        self.is_ready = False

    def sleep(self, seconds: float) -> None:
        time.sleep(seconds * self.waits)

    def add(self, text: str) -> None:
        self.sleep(0.03)
        super().add(text)

    def ready(self) -> None:
        self.sleep(0.1)
        self.is_ready = True

    def search(self, query: str, k: int) -> list[str]:
        assert self.is_ready
        self.sleep(0.01)
        return super().search(query, k)


class Quick(Slow):
    waits = False


def took(run: Run) -> MemorySummary:
    memory = run.summary.sources[RULER].memory
    assert memory
    return memory


@pytest.mark.parametrize("kind", [Slow, async_like(Slow)])
def test_adding_searching_and_readiness_are_timed_apart(tmp_path: Path, kind: Any) -> None:
    run = examined(kind, tmp_path / "run")
    memory = took(run)
    assert memory.add
    assert memory.ready
    assert memory.search
    assert (memory.add.n, memory.ready.n, memory.search.n) == (3, 1, 4)
    assert 0.03 <= memory.add.p50 <= memory.add.p99 < 0.1 <= memory.ready.p50 < 0.3
    assert 0.01 <= memory.search.p50 < 0.03
    tokens = recorded(run)["tokens"]
    assert memory.add_per_1000_tokens == 1000 * memory.add.seconds / tokens
    assert recorded(run)["seconds"] >= memory.add.seconds + memory.ready.seconds
    for timing in run.store.timings():
        assert timing.search_seconds
        assert timing.seconds > timing.search_seconds
    assert [row.search_seconds for row in run.rows()] == [
        timing.search_seconds for timing in run.store.timings()
    ]


def test_the_samples_are_the_same_however_long_it_takes(tmp_path: Path) -> None:
    runs = [examined(kind, tmp_path / kind.__name__) for kind in (Slow, Quick)]
    first, second = ((run.folder / "samples.jsonl").read_bytes() for run in runs)
    assert first == second


def test_questions_at_a_time_have_the_time_of_their_own_search(tmp_path: Path) -> None:
    class ByQuestion(Shelf):
        def search(self, query: str, k: int) -> list[str]:
            place = next(n for n, (question, _) in enumerate(PAIRS) if question in query)
            time.sleep(0.1 * place)
            return super().search(query, k)

    run = examined(ByQuestion, tmp_path / "run", limits=Limits(questions=4))
    seconds = {timing.question_index: timing.search_seconds for timing in run.store.timings()}
    assert [int(10 * (seconds[place] or 0)) for place in range(4)] == [0, 1, 2, 3]


def test_an_agent_that_answers_by_itself_has_no_search(tmp_path: Path) -> None:
    run = examined(Oslo, tmp_path / "run")
    assert took(run).add
    assert took(run).search is took(run).ready is None
    assert {timing.search_seconds for timing in run.store.timings()} == {None}


def test_a_memory_that_does_not_become_ready_fails_its_row(tmp_path: Path) -> None:
    class Never(Shelf):
        def ready(self) -> None:
            time.sleep(60)

    run = examined(Never, tmp_path / "run", limits=Limits(memorize_seconds=0.2))
    assert figures(run, "errors") == 4
    assert took(run).failed == 1
    assert took(run).add is took(run).ready is None
    assert "memorizing failed: TimeoutError" in (next(run.samples()).error or "")


def test_rows_in_several_processes_add_up(tmp_path: Path) -> None:
    rows = [ruler_row(index) for index in range(4)]
    run = examined("bm25", tmp_path / "run", rows, executor="processes", limits=Limits(2))
    memory = took(run)
    assert memory.add
    assert memory.search
    assert (memory.add.n, memory.search.n) == (12, 16)
    assert memory == run.summary.memory


@pytest.mark.slow
@pytest.mark.parametrize("memory", MEMORIES)
def test_the_harness_adds_less_than_a_millisecond(tmp_path: Path, memory: Any) -> None:
    attempts = (measure(memory, 500, tmp_path / f"{number}") for number in range(5))
    assert any(max(added.between_adds, added.add, added.search) < 0.001 for added in attempts)


def test_a_run_over_several_sources_has_the_percentiles_of_all_calls(tmp_path: Path) -> None:
    run = mabench.run("bm25", dataset(), out=tmp_path / "run")
    parts = [source.memory for source in run.summary.sources.values()]
    assert run.summary.memory
    assert run.summary.memory.add
    assert run.summary.memory.add.n == sum(part.add.n for part in parts if part and part.add)
