"""Rows and questions at a time, time-outs, errors that stop a run, and errors asked again."""

import itertools
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
from mabench.models import ModelSpec
from mabench.results import MemoryRecord, Run
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
from tests.runs.agents import Oslo, async_like, failing, like


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
    assert failed[0].error == "RuntimeError: no luck today"
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
    source = "from tests.runs.test_concurrency import Saving\nclass Kept(Saving):\n"
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
    assert (memory.save_error, memory.chunks) == ("OSError: no space left", 1)
    said, memory, kept = run("saved", "")
    assert (said, memory.save_error, len(kept)) == ([], None, 1)
    said, memory, after = run("unloaded", "load, save")
    assert said == [_UNLOADED, _UNSAVED]
    assert (memory.load_error, memory.chunks) == ("ValueError: another version", 1)
    assert after == kept, "what could not be loaded now may be loaded later"
    said, memory, _ = run("loaded", "")
    assert (said, memory.loaded) == ([], True)
    progress = RecordedProgress()
    monkeypatch.setenv("MABENCH_TEST_FAILING", "save")
    mabench.run(Forgetful, dataset(rows(1)), out=tmp_path / "unkept", progress=progress)
    (unsaved,) = [line for line in progress.events if "could not be saved" in line]
    assert "so the row is memorized again if the run is stopped before its end: OSError" in unsaved
