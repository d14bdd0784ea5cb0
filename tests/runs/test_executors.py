"""Rows and questions at a time, here and elsewhere: the same samples and stops, nothing lost."""

import itertools
import json
import multiprocessing
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from dataclasses import dataclass, replace
from importlib.util import find_spec
from math import prod
from pathlib import Path
from typing import Any

import pytest

import mabench
from mabench.contract import Query
from mabench.cores import count_cores
from mabench.data import Dataset, Row
from mabench.errors import MissingPackageError, UsageError
from mabench.models import ModelSpec
from mabench.results import MemoryRecord, Run
from mabench.results.records.store import RunFolder
from mabench.runs import RunStoppedError
from mabench.runs.executors.processes import ProcessPool
from mabench.specs import Limits
from mabench_floor import FloorAgent, skill
from mabench_floor.labels.classifier import Classifier
from mabench_floor.labels.features import Demonstration
from mabench_floor.skill import Learn
from tests import parts
from tests.agents.queries import ask
from tests.models.server import serving
from tests.progress import RecordedProgress
from tests.rows import dataset, keep_samples, row, two_rows
from tests.runs.agents import Oslo, async_like, failing, like

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


class FailsSlowly(Oslo):
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
    assert count_cores(own, root) == cores
    assert count_cores(tmp_path / "none", root) == 6
    monkeypatch.delattr(os, "sched_getaffinity")
    assert count_cores(tmp_path / "none", root) == 64


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
    assert {"start chunks 0/None ruler_qa1, 9k, row 0 25 questions", "start questions 0/65"} < begun
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
    start = ProcessPool._start

    def count(pool: ProcessPool) -> None:
        started.append(pool)
        start(pool)

    monkeypatch.setattr(ProcessPool, "_start", count)
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
            mabench.run(FailsSlowly, made_rows(notes, deadly=1), out=out, **how)
        assert 1 <= len(list(Run(out).samples())) < 60
    assert str(os.getpid()) in notes.read_text().split()
    mabench.run(FailsSlowly, made_rows(notes), out=out, limits=Limits(max_same_errors=0))
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


def rows(count: int = 6, questions: int = 8) -> Sequence[Row]:
    """Rows whose every question is answered by its last word."""
    return [
        row(
            "ruler_qa1_197K",
            f"Document 1:\nRow {r}.",
            [(f"Question {q} of {r} is {q * r}?", [str(q * r)]) for q in range(questions)],
            index=r,
        )
        for r in range(count)
    ]


class Sync(Oslo):
    """Answers with the last word; counts how many calls are under way at a time."""

    lock = threading.Lock()
    now = most = 0

    def answer(self, query: Query) -> str:
        with Sync.lock:
            Sync.now += 1
            Sync.most = max(Sync.most, Sync.now)
        time.sleep(0.002)
        with Sync.lock:
            Sync.now -= 1
        return query.question.split()[-1].strip("?")


@pytest.mark.parametrize("agent", [Sync, async_like(Sync), "oracle"])
def test_samples_are_alike_at_any_concurrency_and_limits_hold(tmp_path: Path, agent: Any) -> None:
    runs: list[Run] = []
    for pace in ((), (3,), (2, 3), (1, 8), (20, 20)):
        Sync.most = 0
        out = tmp_path / str(len(runs))
        runs.append(mabench.run(agent, dataset(rows()), out=out, limits=Limits(*pace)))
        if agent is Sync:
            assert 1 <= Sync.most <= prod(pace)
            assert (Sync.most > 1) is (prod(pace) > 1)
    first, *others = map(lines, runs)
    assert len(first) == 48
    assert all(other == first for other in others)
    assert runs[0].summary["sources"]["ruler_qa1_197K"]["official"] == 100


@pytest.mark.slow  # Three processes for each, since an import can fail only where it is the first.
@pytest.mark.parametrize(
    "agent",
    [
        *("floor", "floor --set evidence=true", "no-memory", "oracle", "bm25"),
        *("bm25 --set recipe=published", "bm25 --set k=3 --rows-in-parallel 3"),
    ],
)
def test_built_in_agents_answer_alike_at_any_concurrency(tmp_path: Path, agent: str) -> None:
    runs = []
    for questions in ("1", "2", "8"):
        words = f"run {agent} --data synthetic:small --questions-in-parallel {questions} --quiet"
        command = [sys.executable, "-m", "mabench", *words.split(), "--out", questions]
        subprocess.run(command, cwd=tmp_path, check=True, capture_output=True)
        runs.append(lines(Run(tmp_path / questions)))
    assert len(runs[0]) > 200
    assert not any(json.loads(line)["error"] for line in runs[0])
    assert runs[1] == runs[0]
    assert runs[2] == runs[0]


def test_the_floor_learns_once_whichever_questions_come(monkeypatch: pytest.MonkeyPatch) -> None:
    learnt: list[str] = []

    def learn(module: str) -> Learn:
        learnt.append(module)
        time.sleep(0.01)
        return lambda history: None

    monkeypatch.setattr(skill, "_learner", learn)
    floor = FloorAgent()
    with ThreadPoolExecutor(8) as questions:
        answers = [*questions.map(floor.answer, [ask("Where is Ann?")] * 8)]
    assert learnt == list(skill._SKILLS)
    assert answers == answers[:1] * 8


def test_labels_do_not_depend_on_what_is_learnt_at_the_same_time() -> None:
    demonstrations = [
        Demonstration(f"{word} {number % 7} {'abcdefg'[number % 5]}", str(number % 6))
        for number, word in enumerate(["rain", "snow", "wind", "hail", "sun"] * 40)
    ]

    def coefficients(_: int) -> Any:
        return Classifier(demonstrations, tuned=False)._machine.coef_

    first = coefficients(0)
    with ThreadPoolExecutor(8) as rows:
        assert all((other == first).all() for other in rows.map(coefficients, range(40)))


class Failing(Sync):
    """Fails on odd questions while ``broken``; counts all in ``asked``."""

    broken, asked = True, 0

    def answer(self, query: Query) -> str:
        Failing.asked += 1
        if Failing.broken and int(query.question.split()[1]) % 2:
            raise RuntimeError("no luck today")
        return super().answer(query)


@pytest.fixture(autouse=True)
def _broken() -> None:
    Failing.broken, Failing.asked, Saving.told = True, 0, 0


@pytest.mark.parametrize(("most", "stored"), [(None, 48), (1, 2), (3, 6)])
def test_a_broken_run_says_where_stops_and_can_go_on(
    tmp_path: Path, most: int | None, stored: int
) -> None:
    stops = pytest.raises(RunStoppedError, match=f"{most} failed, the last: RuntimeError")
    how: dict[str, Any] = {"data": dataset(rows()), "out": tmp_path / "run"}
    with stops if most else nullcontext():
        mabench.run(Failing, limits=Limits(max_errors=most), **how)
    samples = [*Run(tmp_path / "run").samples()]
    assert len(samples) == stored
    assert (tmp_path / "run" / "summary.json").is_file()
    failed = [sample for sample in samples if sample.error]
    who = "(answer of tests.runs.test_executors:Failing)"
    assert failed[0].error == f"RuntimeError: no luck today {who}"
    assert 'raise RuntimeError("no luck today")' in str(failed[0].traceback)
    assert str(failed[0].traceback).count("File ") <= 4
    Failing.broken, Failing.asked = False, 0
    run = mabench.run(Failing, retry_errors=True, **how)
    assert Failing.asked == 48 - stored + len(failed)
    assert (run.summary.spent.errors, run.summary.sources["ruler_qa1_197K"].answered) == (0, 48)
    assert len({sample.key for sample in run.samples()}) == len(list(run.samples())) == 48


class Raises(Oslo):
    """Raises the errors of ``kinds`` in turn; answers where there is none."""

    def __init__(self, kinds: Sequence[type[Exception] | None]) -> None:
        self.kinds = itertools.cycle(kinds)

    def answer(self, query: Query) -> str:
        if kind := next(self.kinds):
            raise kind(f"nothing about {query.question}")
        return "0"


@pytest.mark.parametrize(
    ("kinds", "data", "limits", "stored", "reason"),
    [
        ([LookupError], (2, 30), Limits(), 20, "the first 20 answers of ruler_qa1_197K, row 0,"),
        ([LookupError], (8, 5), Limits(), 20, "the first 20 answers of the run"),
        ([LookupError], (2, 30), Limits(max_same_errors=3), 3, "the first 3 answers of ruler_q"),
        ([LookupError], (2, 30), Limits(max_same_errors=0), 60, ""),
        ([LookupError, RuntimeError], (2, 30), Limits(), 60, ""),
        ([None, *[LookupError] * 29], (2, 30), Limits(), 60, ""),
        ([LookupError, None], (2, 30), Limits(), 60, ""),
    ],
)
def test_a_run_whose_first_answers_fail_alike_stops_and_says_so_once(
    kinds: Any, data: tuple[int, int], limits: Limits, stored: int, reason: str, tmp_path: Path
) -> None:
    with pytest.raises(RunStoppedError, match=reason) if reason else nullcontext() as stopped:
        mabench.run(
            lambda: Raises(kinds), dataset(rows(*data)), out=tmp_path / "run", limits=limits
        )
    if stopped:
        assert "LookupError: nothing about" in str(stopped.value)
        assert "`limits.max_same_errors`" in str(stopped.value)
    assert len(list(Run(tmp_path / "run").samples())) == stored


def test_rows_that_cannot_be_memorized_stop_no_run(tmp_path: Path) -> None:
    cannot = like(Oslo, memorize=failing(RuntimeError("full")))
    run = mabench.run(cannot, dataset(rows(2, 30)), out=tmp_path / "run")
    assert run.summary.spent.errors == 60


class Saving:
    """Counts what it is told, over all instances; can save and load itself."""

    told = 0

    def __init__(self) -> None:
        self.text = ""

    def memorize(self, chunk: str) -> None:
        Saving.told += 1
        self.text += chunk

    def answer(self, query: Query) -> str:
        return self.text.rstrip(".").split()[-1]

    def save(self, folder: Path) -> None:
        (folder / "text").write_text(self.text, encoding="utf-8")

    def load(self, folder: Path) -> None:
        self.text = (folder / "text").read_text(encoding="utf-8")


def test_a_memory_is_loaded_for_the_same_code_settings_and_model_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, key_and_cache: Path
) -> None:
    monkeypatch.syspath_prepend(str(tmp_path))
    source = "from tests.runs.test_executors import Saving\nclass Kept(Saving):\n"
    source += "  def __init__(self, model, most=1): super().__init__()\n"
    models = ["openai/b", ModelSpec("openai/a", temperature=0.5)]
    others: list[dict[str, Any]] = [*({"model": model} for model in models)]
    others += [{"settings": {"most": 2}}, {"code": "# edited\n"}]
    changes: list[dict[str, Any]] = [{"limit_questions": 2}, {}]
    changes += [other for other in others for _ in range(2)]
    told = []
    with serving(lambda _: "Oslo") as served:
        monkeypatch.setenv("OPENAI_BASE_URL", served.url)
        for number, change in enumerate([*changes, {"keep_memories": False}]):
            how: dict[str, Any] = {"model": "openai/a", "settings": {"most": 1}}
            how |= {"keep_memories": True, **change}
            (tmp_path / "kept.py").write_text(source + how.pop("code", ""))
            sys.modules.pop("kept", None)
            parts.run("kept:Kept", dataset(rows(1)), out=tmp_path / str(number), **how)
            told.append(Saving.told)
    assert told == [1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6]


class Forgetful(Saving):
    def save(self, folder: Path) -> None:
        super().save(folder)
        if "save" in os.environ["MABENCH_TEST_FAILING"]:
            raise OSError("no space left")

    def load(self, folder: Path) -> None:
        if "load" in os.environ["MABENCH_TEST_FAILING"]:
            raise ValueError("another version")
        super().load(folder)


_UNSAVED = "its memory could not be saved, so a later run memorizes the row again"
_UNLOADED = "its saved memory could not be loaded, so the row is memorized again"


@pytest.mark.parametrize("executor", ["local", pytest.param("processes", marks=pytest.mark.slow)])
def test_a_memory_that_is_not_saved_or_loaded_is_said_and_made_again(
    executor: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, key_and_cache: Path
) -> None:
    def run(name: str, failing: str) -> tuple[list[str], MemoryRecord, set[Path]]:
        monkeypatch.setenv("MABENCH_TEST_FAILING", failing)
        progress = RecordedProgress()
        how: dict[str, Any] = {"out": tmp_path / name, "keep_memories": True}
        made = parts.run(Forgetful, dataset(rows(1)), executor=executor, progress=progress, **how)
        assert made.summary.spent.errors == 0
        (memory,) = RunFolder(made.folder).memories().values()
        told = [line.split(": ") for line in progress.events]
        said = [parts[1] for parts in told if parts[0] == "say ruler_qa1_197K, row 0"]
        return said, memory, {*(key_and_cache / "memories").glob("*")}

    said, memory, kept = run("unsaved", "save")
    assert (said, kept) == ([_UNSAVED], set())
    full = "OSError: no space left (save of tests.runs.test_executors:Forgetful)"
    assert (memory.save_error, memory.chunks) == (full, 1)
    said, memory, kept = run("saved", "")
    assert (said, memory.save_error, len(kept)) == ([], None, 1)
    said, memory, after = run("unloaded", "load, save")
    assert said == [_UNLOADED, _UNSAVED]
    assert (memory.load_error, memory.chunks) == (
        "ValueError: another version (load of tests.runs.test_executors:Forgetful)",
        1,
    )
    assert after == kept, "what could not be loaded now may be loaded later"
    said, memory, _ = run("loaded", "")
    assert (said, memory.loaded) == ([], True)
    progress = RecordedProgress()
    monkeypatch.setenv("MABENCH_TEST_FAILING", "save")
    mabench.run(Forgetful, dataset(rows(1)), out=tmp_path / "unkept", progress=progress)
    (unsaved,) = [line for line in progress.events if "could not be saved" in line]
    assert "so the row is memorized again if the run is stopped before its end: OSError" in unsaved
