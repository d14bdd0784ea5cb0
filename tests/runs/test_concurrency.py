"""Rows and questions at a time, time-outs, errors that stop a run, and errors asked again."""

import asyncio
import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from math import prod
from pathlib import Path
from typing import Any

import pytest

import mabench
from mabench.contract import Query
from mabench.data import Row
from mabench.errors import UsageError
from mabench.models import ModelSpec
from mabench.results import Run
from mabench.results.records.measurements import MemoryRecord
from mabench.results.records.store import RunFolder
from mabench.runs import RunStoppedError
from mabench.specs import Limits
from mabench_floor import FloorAgent, skill
from mabench_floor.labels.classifier import Classifier, Demonstration
from mabench_floor.skill import Learn
from tests import parts
from tests.agents.queries import ask
from tests.models.server import serving
from tests.progress import RecordedProgress
from tests.rows import dataset, row
from tests.runs.agents import Oslo


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


class Async:
    async def memorize(self, chunk: str) -> None:
        await asyncio.sleep(0)

    async def answer(self, query: Query) -> str:
        await asyncio.sleep(0.002)
        return query.question.split()[-1].strip("?")


@pytest.mark.parametrize("agent", [Sync, Async, "oracle"])
def test_samples_are_alike_at_any_concurrency_and_limits_hold(tmp_path: Path, agent: Any) -> None:
    runs: list[Run] = []
    for pace in ((), (3,), (2, 3), (1, 8), (20, 20)):
        Sync.most = 0
        out = tmp_path / str(len(runs))
        runs.append(mabench.run(agent, dataset(rows()), out=out, limits=Limits(*pace)))
        if agent is Sync:
            assert 1 <= Sync.most <= prod(pace)
            assert (Sync.most > 1) is (prod(pace) > 1)
    first, *others = [sorted((run.folder / "samples.jsonl").open()) for run in runs]
    assert len(first) == 48
    assert all(lines == first for lines in others)
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
        lines = (tmp_path / questions / "samples.jsonl").read_text(encoding="utf-8")
        runs.append(sorted(lines.splitlines()))
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


class SyncStuck(Sync):
    def memorize(self, chunk: str) -> None:
        if "Row 1" in chunk:
            time.sleep(1)

    def answer(self, query: Query) -> str:
        if "Question 2" in query.question:
            time.sleep(60)
        return super().answer(query)


class AsyncStuck(Async):
    async def memorize(self, chunk: str) -> None:
        if "Row 1" in chunk:
            await asyncio.sleep(1)

    async def answer(self, query: Query) -> str:
        if "Question 2" in query.question:
            await asyncio.sleep(60)
        return await super().answer(query)


@pytest.mark.parametrize("agent", [SyncStuck, AsyncStuck])
def test_an_answer_that_takes_too_long_is_an_error_of_its_own(tmp_path: Path, agent: Any) -> None:
    start, limits = time.monotonic(), Limits(answer_seconds=1.0)
    run = mabench.run(agent, dataset(rows(1)), out=tmp_path / "run", limits=limits)
    assert time.monotonic() - start < 30
    errors = [sample.error for sample in run.samples() if sample.error]
    assert errors == ["TimeoutError: no result within 1 s"]
    assert run.summary["sources"]["ruler_qa1_197K"]["answered"] == 7


@pytest.mark.parametrize("agent", [SyncStuck, AsyncStuck])
def test_memorizing_that_takes_too_long_fails_the_row_alone(tmp_path: Path, agent: Any) -> None:
    given: Any = {"limits": Limits(3, memorize_seconds=0.1), "limit_questions": 2}
    run = mabench.run(agent, dataset(rows(3)), out=tmp_path / "run", **given)
    failed = {sample.row for sample in run.samples() if sample.error}
    assert failed == {1}
    assert run.summary["sources"]["ruler_qa1_197K"]["errors"] == 2


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


def test_errors_say_where_they_were_raised_and_are_asked_again_alone(tmp_path: Path) -> None:
    run = mabench.run(Failing, dataset(rows()), out=tmp_path / "run")
    assert run.summary["sources"]["ruler_qa1_197K"]["errors"] == 24
    failed = next(sample for sample in run.samples() if sample.error)
    assert failed.error == "RuntimeError: no luck today"
    assert 'raise RuntimeError("no luck today")' in str(failed.traceback)
    assert str(failed.traceback).count("File ") <= 4
    Failing.broken, Failing.asked = False, 0
    run = mabench.run(Failing, dataset(rows()), out=tmp_path / "run", retry_errors=True)
    assert Failing.asked == 24
    assert run.summary["sources"]["ruler_qa1_197K"]["errors"] == 0
    assert len({sample.key for sample in run.samples()}) == len(list(run.samples())) == 48


@pytest.mark.parametrize(("most", "stored"), [(1, 2), (3, 6)])
def test_a_run_that_is_broken_stops_and_can_go_on(tmp_path: Path, most: int, stored: int) -> None:
    with pytest.raises(RunStoppedError, match=f"{most} failed, the last: RuntimeError"):
        mabench.run(Failing, dataset(rows()), out=tmp_path / "run", limits=Limits(max_errors=most))
    assert len(list(Run(tmp_path / "run").samples())) == stored
    assert (tmp_path / "run" / "summary.json").is_file()
    Failing.broken = False
    run = mabench.run(Failing, dataset(rows()), out=tmp_path / "run", retry_errors=True)
    assert run.summary["sources"]["ruler_qa1_197K"]["answered"] == 48


class Raises(Async):
    """Raises the errors of ``kinds`` in turn; answers where there is none."""

    kinds: Sequence[type[Exception] | None] = (LookupError,)

    def __init__(self) -> None:
        self.asked = 0

    async def answer(self, query: Query) -> str:
        kind = self.kinds[self.asked % len(self.kinds)]
        self.asked += 1
        if kind:
            raise kind(f"nothing about {query.question}")
        return "0"


@pytest.mark.parametrize(
    ("data", "limits", "stored", "reason"),
    [
        (rows(2, 30), Limits(), 20, "the first 20 answers of ruler_qa1_197K, row 0,"),
        (rows(8, 5), Limits(), 20, "the first 20 answers of the run"),
        (rows(2, 30), Limits(max_same_errors=3), 3, "the first 3 answers of ruler_qa1_197K, row 0"),
        (rows(2, 30), Limits(max_same_errors=0), 60, ""),
    ],
)
def test_a_run_whose_first_answers_fail_alike_stops_and_says_so_once(
    data: Sequence[Row], limits: Limits, stored: int, reason: str, tmp_path: Path
) -> None:
    with pytest.raises(RunStoppedError, match=reason) if reason else nullcontext() as stopped:
        mabench.run(Raises, dataset(data), out=tmp_path / "run", limits=limits)
    if stopped:
        assert "LookupError: nothing about" in str(stopped.value)
        assert "`limits.max_same_errors`" in str(stopped.value)
    assert len(list(Run(tmp_path / "run").samples())) == stored


@pytest.mark.parametrize(
    "kinds", [(LookupError, RuntimeError), (None, *[LookupError] * 29), (LookupError, None)]
)
def test_a_run_whose_first_answers_do_not_fail_alike_continues(
    tmp_path: Path, kinds: Sequence[type[Exception] | None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Raises, "kinds", kinds)
    run = mabench.run(Raises, dataset(rows(2, 30)), out=tmp_path / "run")
    assert run.summary["sources"]["ruler_qa1_197K"]["n"] == 60


def test_rows_that_cannot_be_memorized_stop_no_run_and_are_named_once(tmp_path: Path) -> None:
    class CannotMemorize(Oslo):
        def memorize(self, chunk: str) -> None:
            raise RuntimeError("full")

    progress = RecordedProgress()
    mabench.run(CannotMemorize, dataset(rows(2, 30)), out=tmp_path / "run", progress=progress)
    assert [event for event in progress.events if "memorizing failed" in event] == [
        f"say ruler_qa1_197K, row {row}, question 0: memorizing failed: RuntimeError: full"
        for row in (0, 1)
    ]


def test_some_rows_and_some_questions(tmp_path: Path) -> None:
    run = mabench.run(Sync, dataset(rows()), out=tmp_path / "run", rows=[1, 4], limit_questions=3)
    assert [sample.key[1:] for sample in run.samples()] == [
        (r, q) for r in (1, 4) for q in range(3)
    ]
    assert run.summary["sources"]["ruler_qa1_197K"]["expected"] == 6
    with pytest.raises(
        UsageError, match=r"holds a run with more questions: row 4, which `rows` leaves out here\."
    ):
        mabench.run(Sync, dataset(rows()), out=tmp_path / "run", rows=[3, 1], limit_questions=3)


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


def test_a_row_memorized_once_is_not_memorized_again(tmp_path: Path) -> None:
    class Stops(Saving):
        stops = True

        def answer(self, query: Query) -> str:
            if Stops.stops and "Question 5 of 1" in query.question:
                raise RuntimeError("power cut")
            return super().answer(query)

    with pytest.raises(RunStoppedError):
        mabench.run(Stops, dataset(rows(3)), out=tmp_path / "run", limits=Limits(max_errors=1))
    assert Saving.told == 2
    assert [p.name for p in (tmp_path / "run" / "memories").iterdir()] == ["Accurate_Retrieval-1"]
    Stops.stops = False
    run = mabench.run(Stops, dataset(rows(3)), out=tmp_path / "run", retry_errors=True)
    assert Saving.told == 3, "row 1 was loaded, row 2 had not been told"
    assert not (tmp_path / "run" / "memories").exists(), "a finished run keeps no memories"
    assert {sample.prediction for sample in run.samples()} == {"0", "1", "2"}
    assert run.summary["sources"]["ruler_qa1_197K"]["seconds_answer"] > 0


@pytest.mark.parametrize(
    "other",
    [
        {"model": "openai/b"},
        {"model": ModelSpec("openai/a", temperature=0.5)},
        {"settings": {"most": 2}},
        {"code": "# edited\n"},
    ],
)
def test_a_memory_is_loaded_for_the_same_code_settings_and_model_alone(
    other: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, key_and_cache: Path
) -> None:
    monkeypatch.syspath_prepend(str(tmp_path))
    source = "from tests.runs.test_concurrency import Saving\nclass Kept(Saving):\n"
    source += "  def __init__(self, model, most=1): super().__init__()\n"
    told = []
    with serving(lambda _: "Oslo") as served:
        monkeypatch.setenv("OPENAI_BASE_URL", served.url)
        unkept = {**other, "keep_memories": False}  # Nothing of other runs is used.
        for number, change in enumerate([{"limit_questions": 2}, {}, other, other, unkept]):
            how: dict[str, Any] = {"model": "openai/a", "settings": {"most": 1}}
            how |= {"keep_memories": True, **change}
            (tmp_path / "kept.py").write_text(source + how.pop("code", ""))
            sys.modules.pop("kept", None)
            parts.run("kept:Kept", dataset(rows(1)), out=tmp_path / str(number), **how)
            told.append(Saving.told)
    assert told == [1, 1, 2, 2, 3]


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
    assert (memory.save_error, memory.chunks) == ("OSError: no space left", 1)
    said, memory, kept = run("saved", "")
    assert (said, memory.save_error, len(kept)) == ([], None, 1)
    said, memory, after = run("unloaded", "load, save")
    assert said == [_UNLOADED, _UNSAVED]
    assert (memory.load_error, memory.chunks) == ("ValueError: another version", 1)
    assert after == kept, "what could not be loaded now may be loaded later"
    said, memory, _ = run("loaded", "")
    assert (said, memory.loaded) == ([], True)


def test_an_unfinished_run_says_what_a_memory_that_is_not_saved_means(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MABENCH_TEST_FAILING", "save")
    progress = RecordedProgress()
    mabench.run(Forgetful, dataset(rows(1)), out=tmp_path / "run", progress=progress)
    (said,) = [line for line in progress.events if "could not be saved" in line]
    assert "so the row is memorized again if the run is stopped before its end: OSError" in said
