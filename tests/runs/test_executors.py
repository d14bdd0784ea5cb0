"""Rows in other processes: the same samples as in this one, the same stops, nothing lost."""

import multiprocessing
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

import mabench
from mabench.contract import Query
from mabench.data import Dataset, Row
from mabench.errors import MissingPackageError, UsageError
from mabench.results import Run
from mabench.runs import RunStoppedError, elsewhere, engine
from mabench.specs import Limits
from tests.progress import RecordedProgress
from tests.rows import dataset, keep_samples, row, two_rows
from tests.runs.agents import Oslo

TWO = Limits(rows=2)
_RAY = [
    pytest.mark.slow,
    pytest.mark.skipif(find_spec("ray") is None, reason="the extra `ray` is not installed"),
]
ELSEWHERE = ["processes", pytest.param("ray", marks=_RAY)]


@pytest.fixture(autouse=True)
def _no_ray(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("RAY_DISABLE_IMPORT_WARNING", "1")
    yield
    if ray := sys.modules.get("ray"):
        ray.shutdown()


def lines(run: Run) -> list[str]:
    return sorted((run.folder / "samples.jsonl").read_text(encoding="utf-8").splitlines())


class Fragile(Oslo):
    """Kills its process in the middle of a row, but not where there is a mark of that."""

    then: Exception | None = None

    def answer(self, query: Query) -> str:
        mark = os.environ.get("MABENCH_TEST_MARK")
        is_marked = mark is not None and Path(mark).exists()
        if is_marked and self.then:
            raise self.then
        if "Who lives in Oslo" in query.question and not is_marked:
            if mark:
                Path(mark).touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return "Oslo"


class FragileAndFailing(Fragile):
    then = ValueError("no idea")


class Failing(Oslo):
    def answer(self, query: Query) -> str:
        time.sleep(0.02)
        raise ValueError("no idea")


def three_rows() -> list[Row]:
    """Two rows of 60 questions, and one of three."""
    questions = [(f"Where is number {i}?", ["Oslo"]) for i in range(60)]
    same = "ruler_qa1_197K", "Document 1:\nOslo.", questions
    return [row(*same, index=0), row(*same, index=1), two_rows()[0]]


@pytest.mark.parametrize(
    ("quota", "cores"), [("max 100000", 6), ("150000 100000", 2), ("10000 100000", 1), ("?", 6)]
)
def test_cores_are_those_that_may_be_used(
    quota: str, cores: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of 64 cores, a process may use 6; a container above its own gets a part of the time."""
    monkeypatch.setattr(os, "cpu_count", lambda: 64)
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {*range(6)}, raising=False)
    own, root = tmp_path / "cgroup", tmp_path / "root"
    (root / "pod" / "own").mkdir(parents=True)
    own.write_text("1:name=systemd:/x\n0::/pod/own\n")
    (root / "pod" / "cpu.max").write_text(f"{quota}\n")
    assert engine._cores(own, root) == cores
    assert engine._cores(tmp_path / "none", root) == 6
    monkeypatch.delattr(os, "sched_getaffinity")
    assert engine._cores(tmp_path / "none", root) == 64


def test_an_unknown_executor_and_rays_extra_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(MissingPackageError, match=r"pip install .*\[ray\]'"):
        mabench.run("bm25", dataset(), executor="ray")
    with pytest.raises(UsageError, match="unknown executor 'dask'; known: local, processes, ray"):
        mabench.run("bm25", dataset(), executor="dask")


@pytest.mark.parametrize("executor", ELSEWHERE)
def test_other_processes_give_the_samples_of_this_one(executor: str, tmp_path: Path) -> None:
    sources = ["ruler_qa1_197K", "factconsolidation_mh_6k"]
    how: dict[str, Any] = {"data": "synthetic:small", "sources": sources, "limits": TWO}
    whole = lines(mabench.run("floor", out=tmp_path / "here", **how))
    how["progress"] = RecordedProgress()
    there = mabench.run("floor", out=tmp_path / "there", executor=executor, **how)
    begun = {event for event in how["progress"].events if event.startswith("start")}
    assert {f"start chunks 0/None {sources[0]}, row 0 25 questions", "start questions 0/65"} < begun
    assert whole == lines(there)
    assert len(whole) == 65
    keep_samples(there.folder, 50)
    assert lines(mabench.run("floor", out=there.folder, **how)) == whole, "it is resumed here"


@dataclass(frozen=True)
class Made:
    """Makes a row and notes in which process; ``deadly`` ends any process but the run's."""

    source: str
    split: str
    index: int
    row: Row
    notes: Path
    deadly: bool = False

    def __call__(self) -> Row:
        if self.deadly and multiprocessing.parent_process() is not None:
            os.kill(os.getpid(), signal.SIGKILL)
        with self.notes.open("a") as notes:
            notes.write(f"{os.getpid()}\n")
        return self.row


def made_rows(notes: Path, deadly: int | None = None) -> Dataset:
    """The three rows, as they are made one by one."""
    rows = three_rows()
    makers = [
        Made(one.source, one.split, one.index, one, notes, deadly=place == deadly)
        for place, one in enumerate(rows)
    ]
    return replace(dataset(rows), makers=makers)


def test_processes_make_each_row_once_and_are_no_more_than_the_rows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    started: list[object] = []
    start = elsewhere._Pool._start

    def count(pool: elsewhere._Pool) -> None:
        started.append(pool)
        start(pool)

    monkeypatch.setattr(elsewhere._Pool, "_start", count)
    how: dict[str, Any] = {"executor": "processes", "limits": Limits(rows=16)}
    notes, data = tmp_path / "notes", made_rows(tmp_path / "notes")
    run = mabench.run(Oslo, data, out=tmp_path / "run", **how)
    made_in = notes.read_text().split()
    assert (len(started), len(made_in), str(os.getpid()) in made_in) == (3, 3, False)
    same = dataset(three_rows())
    assert run.record.data.fingerprint == same.fingerprint
    here = mabench.run(Oslo, same, out=tmp_path / "here")
    assert lines(run) == lines(here)
    mabench.run(Oslo, dataset(), out=tmp_path / "two", **how)
    assert len(started) == 3 + 2


@pytest.mark.slow
def test_processes_that_are_ended_leave_nothing_behind_to_complain_about(tmp_path: Path) -> None:
    """bm25s shows no progress, but its progress bar makes a lock that spans processes."""
    words = "run bm25 --data synthetic:small --source factconsolidation_sh_6k --executor processes"
    command = [sys.executable, "-m", "mabench", *words.split(), "--out", str(tmp_path / "run")]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert "resource_tracker" not in done.stderr


def test_rows_that_kill_processes_are_made_by_the_run_which_is_resumed_anywhere(
    tmp_path: Path,
) -> None:
    notes, out = tmp_path / "notes", tmp_path / "run"
    how: dict[str, Any] = {"executor": "processes", "limits": Limits(rows=2, max_errors=1)}
    for _ in range(2):
        with pytest.raises(RunStoppedError, match="no idea"):
            mabench.run(Failing, made_rows(notes, deadly=1), out=out, **how)
        assert 1 <= len(list(Run(out).samples())) < 60
    assert str(os.getpid()) in notes.read_text().split()
    mabench.run(Failing, made_rows(notes), out=out, limits=Limits(max_same_errors=0))
    assert len(list(Run(out).samples())) == 123


@pytest.mark.parametrize("executor", ELSEWHERE)
def test_a_lost_process_costs_nothing_but_time(
    executor: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MABENCH_TEST_MARK", str(tmp_path / "mark"))
    run = mabench.run(Fragile, dataset(), out=tmp_path / "run", executor=executor, limits=TWO)
    assert (tmp_path / "mark").exists()
    keys = [sample.key for sample in run.samples()]
    assert len(keys) == len({*keys}) == 5
    assert all(sample.error is None for sample in run.samples())
    if executor == "processes":
        (tmp_path / "mark").unlink()
        how: dict[str, Any] = {"executor": executor, "limits": Limits(rows=2, max_errors=1)}
        with pytest.raises(RunStoppedError, match="no idea"):
            mabench.run(FragileAndFailing, dataset(), out=tmp_path / "stopped", **how)


@pytest.mark.parametrize("executor", ELSEWHERE)
def test_a_row_that_kills_every_process_is_one_error(executor: str, tmp_path: Path) -> None:
    run = mabench.run(Fragile, dataset(), out=tmp_path / "run", executor=executor, limits=TWO)
    errors = [sample.error for sample in run.samples() if sample.error]
    assert errors == ["the worker was lost 3 times"]
    assert len(list(run.samples())) == 5


def test_an_agent_that_cannot_be_sent_is_named(tmp_path: Path) -> None:
    class Local(Oslo):
        pass

    with pytest.raises(UsageError, match="cannot be sent to another process") as raised:
        mabench.run(Local, dataset(), out=tmp_path / "run", executor="processes")
    assert raised.value.parameter == "executor"
    assert not (tmp_path / "run").exists()


class Once(Oslo):
    def __init__(self) -> None:
        try:
            Path(os.environ["MABENCH_TEST_MARK"]).touch(exist_ok=False)
        except FileExistsError:
            time.sleep(3)  # Were no agent made yet, none could be, and the run would end.
            raise


def test_processes_one_agent_that_cannot_be_made_fails_its_row_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MABENCH_TEST_MARK", str(tmp_path / "mark"))
    given: Any = {"limit_questions": 1, "executor": "processes", "out": tmp_path / "run"}
    errors = [sample.error or "" for sample in mabench.run(Once, dataset(), **given).samples()]
    assert len(errors) == 2
    assert sum("FileExistsError" in error for error in errors) == 1
