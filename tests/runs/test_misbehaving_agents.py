"""Whatever an agent returns, raises, cancels or prints fails its question or row, and no more."""

import asyncio
import concurrent.futures
import contextlib
import itertools
import os
import subprocess
import sys
import threading
from collections.abc import Awaitable, Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

import mabench
from mabench.contract import Query
from mabench.errors import UsageError
from mabench.results import Sample
from mabench.specs import Limits
from mabench.tasks.agents import task as calling
from tests.command_line import mabench as command
from tests.progress import RecordedProgress
from tests.rows import dataset
from tests.runs.agents import Oslo, async_like, like

HUGE = 100_000_000
LIMITS = Limits(answer_seconds=60.0, memorize_seconds=60.0)


class OddError(Exception):
    """Has notes, a text or other parts that are no such things."""


def odd(kind: type = type, **members: Any) -> Any:
    return kind("OddError", (OddError,), members)


def _raises(kind: type[BaseException]) -> Any:
    def get(_: object) -> Any:
        raise kind

    return property(get, lambda _, value: None)


class Nameless(type):
    __name__ = _raises(RuntimeError)


class OddText(str):
    """A string whose methods raise, or return too much."""

    def __str__(self) -> str:
        return "x" * HUGE

    __len__ = __getitem__ = _raises(RuntimeError)


class OddList(list[str]):
    def __len__(self) -> int:
        raise RuntimeError("no length")


class Endless:
    def __repr__(self) -> str:
        return repr(self)


class OddClass:
    text = "Oslo"
    __class__ = _raises(SystemExit)


def nested() -> list[Any]:
    deep: list[Any] = []
    for _ in range(100_000):
        deep = [deep]
    return deep


def endless() -> Iterator[str]:
    while True:
        yield "x"


def recursing(text: str = "") -> str:
    return recursing(text) + text


# What an agent raises: kinds that others treat in a way of their own.
PLAIN: dict[str, Callable[[], BaseException]] = {
    "StopIteration": StopIteration,
    "StopAsyncIteration": StopAsyncIteration,
    "SystemExit": lambda: SystemExit(0),
    "KeyboardInterrupt": KeyboardInterrupt,
    "GeneratorExit": GeneratorExit,
    "CancelledError": asyncio.CancelledError,
    "futures.CancelledError": concurrent.futures.CancelledError,
    "BaseException": lambda: BaseException("odd"),
    "OddError": type("OddError", (BaseException,), {}),
    "ExceptionGroup": lambda: ExceptionGroup("many", [ValueError("one"), TimeoutError()]),
    "BaseExceptionGroup": lambda: BaseExceptionGroup("many", [KeyboardInterrupt()]),
    "MuteError": type("MuteError", (Exception,), dict.fromkeys(["__str__", "__repr__"], None)),
    "DeadlyError": type("DeadlyError", (Exception,), {"__str__": lambda _: sys.exit(0)}),
    "TimeoutError": lambda: TimeoutError("the store is slow"),
    "MemoryError": MemoryError,
    "RecursionError": RecursionError,
}
# Others, and how the error of the question begins.
ODD: dict[str, tuple[Callable[[], BaseException], str]] = {
    "huge message": (lambda: OddError("x" * HUGE), "OddError: xxx"),
    "huge message of secrets": (lambda: OddError("token=abcdef " * (HUGE // 13)), "OddError: tok"),
    "huge group": (lambda: ExceptionGroup("x" * HUGE, [OddError()]), "ExceptionGroup: xxx"),
    "bad notes": (odd(__notes__=5), "OddError"),
    "endless notes": (odd(__notes__=itertools.repeat("x" * 1000)), "OddError"),
    "raising notes": (odd(__notes__=_raises(SystemExit)), "OddError"),
    "bad text": (odd(__str__=lambda _: 5), "OddError: (its text raises TypeError)"),
    "bad class": (odd(__class__=_raises(RuntimeError)), "OddError"),
    "bad dict": (odd(__dict__=_raises(RuntimeError)), "OddError"),
    "nameless": (odd(Nameless), "an exception without a name"),
    "endless argument": (lambda: OddError(Endless()), "OddError: (its text raises RecursionError)"),
    "nested argument": (lambda: OddError(nested()), "OddError: (its text raises RecursionError)"),
    "odd argument": (lambda: KeyError(OddText("x")), "KeyError: 'x'"),
}
# What an agent returns, and how the error of its question begins; None where it is an answer.
RETURNED: dict[str, tuple[Callable[[], Any], str | None]] = {
    "huge answer": (lambda: "word " * (HUGE // 5), "AgentError: the answer has 100,000,000 char"),
    "huge prompt": (lambda: {"text": "", "prompt": "x" * HUGE}, "AgentError: prompt has 100,000"),
    "huge passage": (lambda: _found(["x" * HUGE]), "AgentError: a passage has 100,000,000 char"),
    "many passages": (lambda: _found(["x"] * 200_000), "AgentError: there are more than 10,000 pa"),
    "long passages": (lambda: _found(["x" * 9_999] * 9_999), "AgentError: the passages have more"),
    "endless passages": (lambda: _found(endless()), "AgentError: there are more than 10,000 pass"),
    "endless answer": (endless, "AgentError: the answer is generator"),
    "odd text": (lambda: {"text": OddText("Oslo"), "retrieved": [OddText("a")]}, None),
    "odd answer": (lambda: OddText("Oslo"), None),
    "odd list": (lambda: _found(OddList(["a"])), "RuntimeError: no length"),
    "odd class": (OddClass, "SystemExit"),
    "endless text": (Endless, "RecursionError"),
    "nested": (nested, "RecursionError"),
    "recursion": (recursing, "RecursionError"),
    "huge count": (lambda: {"text": "", "input_tokens": 10**100_000}, "ValueError: Exceeds the li"),
}


def _found(passages: Any) -> dict[str, Any]:
    return {"text": "Oslo", "retrieved": passages}


def _raise(make: Callable[[], BaseException]) -> Any:
    raise make()


PLACES = ["memorize", "answer", "close", "stats", "save", "load"]
ACTS: dict[str, tuple[Callable[[], Any], str | None]] = {
    **{name: (partial(_raise, make), name.rpartition(".")[2]) for name, make in PLAIN.items()},
    **{name: (partial(_raise, make), start) for name, (make, start) in ODD.items()},
    **RETURNED,
}


def acting(act: Callable[[], Any], is_async: bool, place: str = "answer") -> type:
    """An agent that answers Oslo, but acts in one of its methods once it is told of Bern."""

    def method(here: str, result: object) -> Callable[..., object]:
        def call(self: Any, *given: object) -> object:
            self.told = getattr(self, "told", "") + f"{given if here == 'memorize' else ''}"
            return act() if here == place and "Bern" in self.told else result

        return call

    results = {"answer": "Oslo", "stats": {"memories": 1}}
    sync = type("Sync", (), {name: method(name, results.get(name)) for name in PLACES})
    return async_like(sync) if is_async else sync


def samples_of(agent: Any, out: Path, limits: Limits = LIMITS, **given: Any) -> list[Sample]:
    """Run over two rows, of which the first tells of Bern; return the samples, its own first."""
    found: list[Sample] = []

    def work() -> None:
        found.extend(mabench.run(agent, dataset(), out=out, limits=limits, **given).samples())

    thread = threading.Thread(target=work, daemon=True)  # So that a hang fails, and nothing else.
    thread.start()
    thread.join(120)
    assert not thread.is_alive(), "the run hangs"
    return sorted(found, key=lambda sample: sample.source)


# What a method raises is treated alike in all of them, so some of each are enough.
_CASES = [
    *((name, "answer", len(name) % 2 == 0, False) for name in {**ODD, **RETURNED}),
    *(
        pytest.param(name, place, is_async, many, marks=[pytest.mark.slow] * (not is_first))
        for number, name in enumerate(PLAIN)
        for place in PLACES
        for is_async in (False, True)
        for many in (False, True)
        for is_first in [is_async == ((number + len(place)) % 2 == 0) and not many]
        if place in ("memorize", "answer") or ((number + PLACES.index(place)) % 8 == 0 and is_first)
    ),
]


@pytest.mark.parametrize(("name", "place", "is_async", "many"), _CASES)
def test_what_a_method_raises_or_returns_fails_its_row_shortly_and_nothing_else(
    tmp_path: Path, name: str, place: str, is_async: bool, many: bool
) -> None:
    limits = Limits(rows=2, questions=3) if many else LIMITS
    act, start = ACTS[name]
    given = {} if name in PLAIN else {"limit_questions": 1}
    first, *others = samples_of(acting(act, is_async, place), tmp_path / "run", limits, **given)
    count = 1 if given else 3
    assert [sample.prediction for sample in others[count - 1 :]] == ["Oslo"] * min(count, 2)
    failed = place in ("memorize", "answer") and start is not None
    for sample in (first, *others[: count - 1]):
        assert sample.prediction == (None if failed else "Oslo")
        if not failed:
            assert sample.error is None
            continue
        error = (sample.error or "").removeprefix("memorizing failed: " * (place == "memorize"))
        # Python's own: a coroutine cannot raise it.
        starts = (str(start), *["RuntimeError"] * (is_async and name.startswith("Stop")))
        assert error.startswith(starts)
        assert len(error) <= 2000


_KEPT: list[object] = []  # Tasks that would be collected.


async def cancels_itself() -> None:
    asyncio.current_task().cancel()  # type: ignore[union-attr]


async def cancels_all() -> None:
    for task in asyncio.all_tasks():
        task.cancel()


async def cancels_all_and_waits() -> None:
    """Do what ``asyncio.run`` does at its end."""
    others = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
    for task in others:
        task.cancel()
    await asyncio.gather(*others, return_exceptions=True)


async def raises_exit() -> None:
    raise SystemExit(0)


async def exits_in_a_task() -> None:
    await asyncio.create_task(raises_exit())


async def exits_unseen() -> None:
    _KEPT.append(asyncio.create_task(raises_exit()))
    asyncio.get_running_loop().call_soon(sys.exit)


async def stops_the_loop() -> None:
    asyncio.get_running_loop().stop()


async def stops_the_threads() -> None:
    """End those that ``asyncio.to_thread`` takes."""
    await asyncio.get_running_loop().shutdown_default_executor()


@pytest.mark.parametrize(
    "act",
    [
        *(cancels_itself, cancels_all, cancels_all_and_waits),
        *(exits_in_a_task, exits_unseen, stops_the_loop, stops_the_threads),
    ],
)
@pytest.mark.parametrize(("rows", "questions"), [(1, 1), (1, 3), (2, 1), (2, 3)])
def test_an_agent_ends_its_own_work(
    tmp_path: Path, act: Callable[[], Awaitable[None]], rows: int, questions: int
) -> None:
    class Acts:
        async def memorize(self, chunk: str) -> None:
            self.first = "Bern" in chunk

        async def answer(self, query: Query) -> str:
            await asyncio.sleep(0.01)
            if self.first:
                await act()
            await asyncio.sleep(0.01)
            return "Oslo"

    limits = Limits(rows=rows, questions=questions, answer_seconds=20.0)
    samples = samples_of(Acts, tmp_path / "run", limits)
    assert [sample.prediction for sample in samples[3:]] == ["Oslo"] * 2
    errors = {sample.error.partition(" (answer of ")[0] for sample in samples if sample.error}
    failing = {"cancels_itself": "CancelledError", "exits_in_a_task": "SystemExit: 0"}
    assert errors <= {failing.get(act.__name__)}


def test_an_agent_that_blocks_its_loop_fails_its_own_row(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    released = threading.Event()

    class Blocks:
        async def memorize(self, chunk: str) -> None:
            self.first = "Bern" in chunk

        async def answer(self, query: Query) -> str:
            if self.first:
                released.wait(60)
            return "Oslo"

    monkeypatch.setattr(calling, "LAST_SECONDS", 0.2)
    try:
        samples = samples_of(Blocks, tmp_path / "run", Limits(answer_seconds=0.5))
    finally:
        released.set()
    assert [sample.prediction for sample in samples] == [None] * 3 + ["Oslo"] * 2
    late = "TimeoutError: no result within 0.5 s (answer of "
    assert {sample.error[: len(late)] for sample in samples if sample.error} == {late}


def test_a_call_that_does_not_heed_its_cancellation_is_left_behind(tmp_path: Path) -> None:
    async def answer(*given: object) -> str:
        for _ in range(40):
            with contextlib.suppress(asyncio.CancelledError):
                await asyncio.sleep(0.2)
        return "Oslo"

    stubborn = like(Oslo, answer=answer)
    samples = samples_of(stubborn, tmp_path / "run", Limits(questions=3, answer_seconds=0.1))
    late = "TimeoutError: no result within 0.1 s (answer of tests.runs.agents:Oslo)"
    assert {sample.error for sample in samples} == {late}


@pytest.mark.parametrize("name", PLAIN)
def test_an_agent_that_cannot_be_made_is_named(tmp_path: Path, name: str) -> None:
    unmade = like(Oslo, __init__=lambda self: _raise(PLAIN[name]))
    with pytest.raises(UsageError, match=f"Oslo failed: {name.rpartition('.')[2]}"):
        mabench.run(unmade, dataset(), out=tmp_path / "run")


def test_looking_at_an_agent_may_raise(tmp_path: Path) -> None:
    class Touchy(Oslo):
        def answer(self, query: Query) -> dict[str, str]:
            return Reply(text="Oslo")

        @property
        def stats(self) -> None:
            raise SystemExit(0)

    class Reply(dict[str, str]):
        def get(self, *name: object) -> Any:
            raise SystemExit(0)

    with pytest.raises(UsageError, match=r"Touchy is not an agent: .*SystemExit: 0"):
        mabench.run(Touchy, dataset(), out=tmp_path / "one")
    del Touchy.stats
    samples = samples_of(Touchy, tmp_path / "two")
    errors = {(sample.error or "").partition(" (answer of ")[0] for sample in samples}
    assert errors == {"SystemExit: 0"}


class Quitter(Oslo):
    async def answer(self, query: Query) -> str:
        sys.exit(0)


@pytest.mark.parametrize("executor", ["local", "processes"])
def test_a_run_without_answers_never_exits_with_0(tmp_path: Path, executor: str) -> None:
    ended = command(
        *("run", f"{__name__}:Quitter", "--out", "run", "--data", "synthetic:small"),
        *("--data", "synthetic:small", "--source", "factconsolidation_sh_6k"),
        *("--limit-questions", "3"),
        *("--executor", executor, "--rows-in-parallel", "1"),
        cwd=tmp_path,
    )
    assert ended.returncode == 1, ended.stderr
    assert "SystemExit: 0" in ended.stderr
    assert len((tmp_path / "run" / "samples.jsonl").read_text("utf-8").splitlines()) == 3


def test_what_is_long_but_within_the_limits_is_an_answer(tmp_path: Path) -> None:
    passages = ["x" * (10_000_000 // 10_000)] * 10_000
    answer = {"text": "x" * 1_000_000, "retrieved": passages}
    sample, *_ = samples_of(acting(lambda: answer, False), tmp_path / "run", limit_questions=1)
    assert (sample.error, len(sample.retrieved)) == (None, 10_000)


def prints(*_: object) -> str:
    print("\x1b]0;evil\x07\x1b[2J progress\r")
    sys.stderr.write("\x1b[31mred")
    return "Oslo"


def closes(*_: object) -> str:
    sys.stdout.close()
    sys.stderr.close()
    return prints()


def replacing(stream: Any) -> Callable[..., str]:
    def replace(*_: object) -> str:
        sys.stdout = sys.stderr = stream
        return "Oslo"

    return replace


Prints, Closes = like(Oslo, answer=prints), like(Oslo, answer=closes)
Loses, Replaces = like(Oslo, answer=replacing(None)), like(Oslo, answer=replacing(5))


@pytest.mark.parametrize("agent", ["Prints", "Closes", "Loses", "Replaces"])
def test_what_an_agent_prints_is_text_and_streams_outlive_it(tmp_path: Path, agent: str) -> None:
    small = ("--data", "synthetic:small", "--source", "factconsolidation_sh_6k")
    words = (*small, "--limit-questions", "2", "--out", "run")
    done = command("run", f"{__name__}:{agent}", *words, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert f":{agent} scores " in done.stdout
    assert "Run folder: run" in done.stderr
    assert "\x1b" not in done.stdout + done.stderr
    if agent in ("Prints", "Closes"):
        assert "\ufffd]0;evil\ufffd\ufffd[2J progress\n" in done.stdout + done.stderr
        assert "\ufffd[31mred" in done.stderr


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells which processes there are")
@pytest.mark.parametrize("orphaned", [False, True])
def test_processes_that_an_agent_leaves_behind_are_named(tmp_path: Path, orphaned: bool) -> None:
    started: list[int] = []

    class Leaves(Oslo):
        def answer(self, query: Query) -> str:
            if not started:
                command = "sleep 77 & echo $!" if orphaned else "setsid sleep 77 & echo $!; wait"
                process = subprocess.Popen(["sh", "-c", command], stdout=subprocess.PIPE)
                assert process.stdout
                started.append(int(process.stdout.readline()))
                if orphaned:
                    process.wait()
            return "Oslo"

    progress = RecordedProgress()
    mabench.run(Leaves, dataset(), out=tmp_path / "run", progress=progress)
    os.kill(started[0], 9)
    (told,) = [line for line in progress.events if "left processes behind" in line]
    assert f"{started[0]} (" in told
    assert "sleep 77" in told
