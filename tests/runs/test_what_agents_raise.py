"""Whatever an agent raises or cancels fails its question or its row, and nothing else."""

import asyncio
import concurrent.futures
import sys
import threading
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

import mabench
from mabench.contract import Query
from mabench.errors import UsageError
from mabench.results import Sample
from mabench.specs import Limits
from tests.command_line import mabench as command
from tests.rows import dataset
from tests.runs.agents import Oslo, async_like


class MuteError(Exception):
    def __str__(self) -> str:
        raise RuntimeError("no text")

    __repr__ = __str__


class DeadlyError(Exception):
    def __str__(self) -> str:
        raise SystemExit(0)


class OddError(BaseException):
    pass


RAISED: dict[str, Callable[[], BaseException]] = {
    "StopIteration": StopIteration,
    "StopAsyncIteration": StopAsyncIteration,
    "SystemExit": lambda: SystemExit(0),
    "KeyboardInterrupt": KeyboardInterrupt,
    "GeneratorExit": GeneratorExit,
    "CancelledError": asyncio.CancelledError,
    "futures.CancelledError": concurrent.futures.CancelledError,
    "BaseException": lambda: BaseException("odd"),
    "OddError": OddError,
    "ExceptionGroup": lambda: ExceptionGroup("many", [ValueError("one"), TimeoutError()]),
    "BaseExceptionGroup": lambda: BaseExceptionGroup("many", [KeyboardInterrupt()]),
    "MuteError": MuteError,
    "DeadlyError": DeadlyError,
    "TimeoutError": lambda: TimeoutError("the store is slow"),
    "MemoryError": MemoryError,
    "RecursionError": RecursionError,
}
PLACES = ["memorize", "answer", "close", "stats", "save", "load"]
LIMITS = Limits(answer_seconds=20.0, memorize_seconds=20.0)


def raiser(place: str, make: Callable[[], BaseException], is_async: bool) -> type:
    """An agent that answers Oslo, but raises in one of its methods when it is told of Bern."""

    def method(here: str, result: object) -> Callable[..., object]:
        def call(self: Any, *given: object) -> object:
            self.told = getattr(self, "told", "") + f"{given if here == 'memorize' else ''}"
            if here == place and "Bern" in self.told:
                raise make()
            return result

        return call

    results = {"answer": "Oslo", "stats": {"memories": 1}}
    sync = type("Raiser", (), {name: method(name, results.get(name)) for name in PLACES})
    return async_like(sync) if is_async else sync


def samples_of(agent: Any, out: Path, limits: Limits = LIMITS) -> list[Sample]:
    """Run over two rows; the first tells of Bern."""
    found: list[Sample] = []

    def work() -> None:
        found.extend(mabench.run(agent, dataset(), out=out, limits=limits).samples())

    thread = threading.Thread(target=work, daemon=True)  # So that a hang fails, and nothing else.
    thread.start()
    thread.join(120)
    assert not thread.is_alive(), "the run hangs"
    return found


# What a method raises is treated alike in all of them, so some of each are enough.
_CASES = [
    pytest.param(name, place, is_async, many, marks=[pytest.mark.slow] * (not is_first))
    for number, name in enumerate(RAISED)
    for place in PLACES
    for is_async in (False, True)
    for many in (False, True)
    for is_first in [is_async == ((number + len(place)) % 2 == 0) and not many]
    if place in ("memorize", "answer") or ((number + PLACES.index(place)) % 8 == 0 and is_first)
]


@pytest.mark.parametrize(("name", "place", "is_async", "many"), _CASES)
def test_what_a_method_raises_fails_its_row_and_nothing_else(
    tmp_path: Path, name: str, place: str, is_async: bool, many: bool
) -> None:
    limits = Limits(rows=2, questions=3) if many else LIMITS
    samples = samples_of(raiser(place, RAISED[name], is_async), tmp_path / "run", limits)
    samples.sort(key=lambda sample: sample.source)
    assert len(samples) == 5
    first, second = samples[:3], samples[3:]
    assert [sample.prediction for sample in second] == ["Oslo"] * 2
    if place not in ("memorize", "answer"):
        assert [sample.prediction for sample in first] == ["Oslo"] * 3
        return
    for sample in first:
        kinds = [name.rpartition(".")[2]]
        if is_async and name.startswith("Stop"):
            kinds.append("RuntimeError")  # Python's own: a coroutine cannot raise it.
        start = "memorizing failed: " if place == "memorize" else ""
        assert any((sample.error or "").startswith(start + kind) for kind in kinds)


_KEPT: list[object] = []  # Tasks that would be collected.


def cancel(tasks: set[asyncio.Task[Any]]) -> set[asyncio.Task[Any]]:
    for task in tasks:
        task.cancel()
    return tasks


def this_task() -> set[asyncio.Task[Any]]:
    return {task for task in [asyncio.current_task()] if task}


async def cancels_itself() -> None:
    cancel(this_task())


async def cancels_all() -> None:
    cancel(asyncio.all_tasks())


async def cancels_all_and_waits() -> None:
    """Do what ``asyncio.run`` does at its end."""
    await asyncio.gather(*cancel(asyncio.all_tasks() - this_task()), return_exceptions=True)


async def raises_exit() -> None:
    raise SystemExit(0)


async def exits_in_a_task() -> None:
    await asyncio.create_task(raises_exit())


async def exits_unseen() -> None:
    _KEPT.append(asyncio.create_task(raises_exit()))
    asyncio.get_running_loop().call_soon(sys.exit)


async def stops_the_loop() -> None:
    asyncio.get_running_loop().stop()


@pytest.mark.parametrize(
    "act",
    [
        *(cancels_itself, cancels_all, cancels_all_and_waits),
        *(exits_in_a_task, exits_unseen, stops_the_loop),
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
    assert len(samples) == 5
    other = [sample for sample in samples if sample.source == "ruler_qa1_197K"]
    assert [sample.prediction for sample in other] == ["Oslo"] * 2
    errors = {sample.error for sample in samples if sample.error}
    assert errors <= {"CancelledError", "SystemExit: 0"}


def test_a_call_that_does_not_heed_its_cancellation_is_left_behind(tmp_path: Path) -> None:
    class Stubborn:
        async def memorize(self, chunk: str) -> None: ...

        async def answer(self, query: Query) -> str:
            for _ in range(40):
                try:
                    await asyncio.sleep(0.2)
                except asyncio.CancelledError:
                    continue
            return "Oslo"

    samples = samples_of(Stubborn, tmp_path / "run", Limits(questions=3, answer_seconds=0.1))
    assert {sample.error for sample in samples} == {"TimeoutError: no result within 0.1 s"}


@pytest.mark.parametrize("name", RAISED)
def test_an_agent_that_cannot_be_made_is_named(tmp_path: Path, name: str) -> None:
    class Unmade(Oslo):
        def __init__(self) -> None:
            raise RAISED[name]()

        def answer(self, query: Query) -> str: ...  # type: ignore[empty-body]

    with pytest.raises(UsageError, match=f"Unmade failed: {name.rpartition('.')[2]}"):
        mabench.run(Unmade, dataset(), out=tmp_path / "run")


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
    assert {sample.error for sample in samples} == {"SystemExit: 0"}


_QUITTER = """
import sys
class Quitter:
    async def memorize(self, chunk): ...
    async def answer(self, query):
        sys.exit(0)
"""


@pytest.mark.parametrize("executor", ["local", "processes"])
def test_a_run_without_answers_never_exits_with_0(tmp_path: Path, executor: str) -> None:
    (tmp_path / "quitter.py").write_text(_QUITTER, "utf-8")
    ended = command(
        *("run", "quitter:Quitter", "--out", "run", "--data", "synthetic:small"),
        *("--source", "factconsolidation_sh_6k", "--limit-questions", "3"),
        *("--executor", executor, "--rows-in-parallel", "1"),
        cwd=tmp_path,
    )
    assert ended.returncode == 1, ended.stderr
    assert "SystemExit: 0" in ended.stderr
    assert len((tmp_path / "run" / "samples.jsonl").read_text("utf-8").splitlines()) == 3
