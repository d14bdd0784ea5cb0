"""Code of agents runs in a loop and a thread of its own, and whatever it does there stays there."""

import asyncio
import contextlib
import threading
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from functools import partial
from typing import Any

import pytest

from mabench.models import CallLog, CallPhase, current_log
from mabench.tasks.agents import task as calling
from mabench.tasks.agents.executor import AgentExecutor, Place
from mabench.tasks.loops import run_in_loop, run_to_end, running_agent_loop
from tests.command_line import until

Calls = Callable[..., Awaitable[Any]]


def call(
    executor: AgentExecutor, function: Callable[[], Any], place: Place = Place.AGENT_LOOP
) -> Awaitable[Any]:
    """Return what a function of an agent returns, or raise what it raises."""

    async def result() -> Any:
        return (await executor.call(function, place)).result()

    return result()


def with_executors(work: Callable[..., Awaitable[Any]], number: int = 1) -> Any:
    """Return what some work with executors comes to, in a loop of the engine."""

    async def whole() -> Any:
        executors = [AgentExecutor() for _ in range(number)]
        try:
            return await work(*executors)
        finally:
            for executor in executors:
                executor.end()

    return run_to_end(whole())


async def where() -> tuple[Any, Any, int]:
    return asyncio.get_running_loop(), asyncio.current_task(), threading.get_ident()


def test_all_agents_share_a_loop_that_is_not_the_engines_and_each_has_one_task_for_its_calls() -> (
    None
):
    async def work(one: AgentExecutor, other: AgentExecutor) -> None:
        loops, tasks, threads = zip(
            *[await call(each, where) for each in (one, one, other, other)], strict=True
        )
        assert len({*loops}) == len({*threads}) == 1
        assert asyncio.get_running_loop() not in loops
        assert threading.get_ident() not in threads
        assert tasks[0] is tasks[1] is not tasks[2] is tasks[3]

    with_executors(work, 2)


def test_what_a_sync_method_returns_to_be_awaited_is_awaited_with_the_agents() -> None:
    async def work(one: AgentExecutor) -> None:
        loop, *_ = await call(one, where)
        assert (await call(one, lambda: where(), Place.THREAD))[0] is loop
        assert await call(one, threading.get_ident, Place.THREAD) != threading.get_ident()

    with_executors(work)


def test_each_call_has_the_log_of_who_asks() -> None:
    async def phase() -> CallPhase | None:
        await asyncio.sleep(0.01)
        log = current_log.get()
        return None if log is None else log.phase

    async def ask(executor: AgentExecutor, question: int) -> None:
        expected = CallPhase("answering", question)
        current_log.set(CallLog(print, expected))
        assert await call(executor, phase) == expected
        assert await call(executor, phase, Place.ENGINE_LOOP) == expected
        assert await call(executor, lambda: phase(), Place.THREAD) == expected

    async def work(*executors: AgentExecutor) -> None:
        questions = range(6)
        asked = (ask(executors[number % 3], number) for number in questions[:3])
        await asyncio.gather(*asked)
        await asyncio.gather(*(ask(executors[number % 3], number) for number in questions[3:]))

    with_executors(work, 3)


async def waits(seconds: float = 0.05) -> str:
    await asyncio.sleep(seconds)
    return "done"


async def sweeps() -> str:
    tasks = asyncio.all_tasks()
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    return "swept"


def test_who_cancels_all_tasks_ends_only_what_agents_began() -> None:
    own: list[asyncio.Task[Any]] = []

    async def begins() -> str:
        own.append(asyncio.create_task(waits(60)))
        return await waits()

    async def work(one: AgentExecutor, other: AgentExecutor) -> None:
        begun = asyncio.ensure_future(call(other, begins))
        await call(one, partial(waits, 0.01))
        assert await call(one, sweeps) == "swept"
        assert await begun == "done"
        assert own[0].cancelled()
        assert await call(other, waits) == "done"

    with_executors(work, 2)


async def raises_in_a_task() -> None:
    async def leave() -> None:
        raise SystemExit(0)

    asyncio.get_running_loop().call_soon(lambda: (_ for _ in ()).throw(SystemExit))
    with contextlib.suppress(SystemExit):
        await asyncio.create_task(leave())


async def stops_the_loop_again_and_again() -> None:
    loop = asyncio.get_running_loop()

    def stop() -> None:
        loop.stop()
        loop.call_soon(stop)

    loop.call_soon(stop)


async def keeps_the_loop_busy() -> None:
    loop = asyncio.get_running_loop()

    def again() -> None:
        loop.call_soon(again)

    again()


async def sets_a_factory_of_nothing() -> None:
    asyncio.get_running_loop().set_task_factory(lambda *_, **__: None)  # type: ignore[arg-type]


async def ends_its_own_task() -> None:
    asyncio.current_task().cancel()  # type: ignore[union-attr]


async def runs_a_loop_within() -> None:
    work = waits()
    try:
        with pytest.raises(RuntimeError, match="cannot be called from a running event loop"):
            asyncio.run(work)
    finally:
        work.close()


@pytest.mark.parametrize(
    "act",
    [
        *(raises_in_a_task, stops_the_loop_again_and_again, keeps_the_loop_busy),
        *(sets_a_factory_of_nothing, ends_its_own_task, runs_a_loop_within),
    ],
)
def test_whatever_an_agent_does_to_its_loop_calls_before_and_after_come_to_an_end(
    act: Callable[[], Awaitable[None]],
) -> None:
    async def work(one: AgentExecutor, other: AgentExecutor) -> None:
        begun = asyncio.ensure_future(call(other, waits))
        await call(one, partial(waits, 0.01))
        await one.call(act, Place.AGENT_LOOP)
        assert await begun == "done"
        assert await call(one, waits) == await call(other, waits) == "done"

    with_executors(work, 2)


async def closes_the_loop() -> None:
    """Stop the loop and close it from a thread, as it cannot be closed while it runs."""
    loop = asyncio.get_running_loop()

    def close() -> None:
        while not loop.is_closed():
            with contextlib.suppress(Exception):  # It runs, or is closed at this instant.
                loop.close()

    def stop() -> None:
        loop.stop()
        loop.call_soon(stop)

    threading.Thread(target=close, daemon=True).start()
    loop.call_soon(stop)
    await asyncio.sleep(60)


@pytest.mark.slow  # Its thread must catch an instant, which a busy machine may deny it.
def test_an_agent_that_closes_its_loop_fails_the_calls_in_it_and_later_ones_find_a_new_one() -> (
    None
):
    async def work(one: AgentExecutor, other: AgentExecutor) -> None:
        begun = asyncio.ensure_future(call(other, partial(waits, 60)))
        loop, *_ = await call(one, where)
        for failing in (call(one, closes_the_loop), begun):
            with pytest.raises(RuntimeError, match="the agent closed its event loop"):
                await failing
        for executor in (one, other):
            assert await call(executor, waits) == "done"
        assert (await call(one, where))[0] is not loop

    with_executors(work, 2)


async def cancelled(asking: Awaitable[Any], begun: list[Any]) -> None:
    """Cancel a call once it has begun."""
    task = asyncio.ensure_future(asking)
    while not begun:
        await asyncio.sleep(0.01)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(calling, "LAST_SECONDS", 0.2)


@pytest.mark.usefixtures("impatient")
def test_an_agent_that_blocks_its_loop_is_left_and_later_calls_find_a_new_one() -> None:
    released = threading.Event()
    loops: list[asyncio.AbstractEventLoop] = []

    async def blocks() -> None:
        loops.append(asyncio.get_running_loop())
        released.wait(60)

    async def work(one: AgentExecutor, other: AgentExecutor) -> None:
        start = time.monotonic()
        await cancelled(call(one, blocks), loops)
        assert await call(one, waits) == await call(other, waits) == "done"
        assert time.monotonic() - start < 30

    try:
        with_executors(work, 2)
    finally:
        released.set()
    until(loops[0].is_closed)


@pytest.mark.usefixtures("impatient")
def test_a_call_that_does_not_heed_its_cancellation_leaves_the_loop_to_others() -> None:
    released = threading.Event()
    loops: list[Any] = []

    async def swallows() -> None:
        loops.append(asyncio.get_running_loop())
        while not released.is_set():
            with contextlib.suppress(asyncio.CancelledError):
                await asyncio.sleep(0.05)

    async def work(one: AgentExecutor) -> None:
        await cancelled(call(one, swallows), loops)
        assert (await call(one, where))[0] is loops[0]
        released.set()

    with_executors(work)


def test_a_call_that_heeds_its_cancellation_puts_its_things_away() -> None:
    closed: list[bool] = []
    begun: list[bool] = []

    async def holds() -> None:
        begun.append(True)
        try:
            await asyncio.sleep(60)
        finally:
            await asyncio.sleep(0.01)
            closed.append(True)

    async def work(one: AgentExecutor) -> None:
        _, task, _ = await call(one, where)
        await cancelled(call(one, holds), begun)
        assert closed
        assert (await call(one, where))[1] is task, "it is free for the next call"

    with_executors(work)


def test_a_call_that_is_cancelled_before_it_begins_is_not_made() -> None:
    released, begun, made = threading.Event(), list[bool](), list[bool]()

    async def blocks() -> None:
        begun.append(True)
        released.wait(60)

    async def notes() -> None:
        made.append(True)

    async def work(one: AgentExecutor, other: AgentExecutor) -> None:
        await call(other, waits)
        busy = asyncio.ensure_future(call(one, blocks))
        while not begun:
            await asyncio.sleep(0.01)
        asking = asyncio.ensure_future(call(other, notes))
        await asyncio.sleep(0)
        asking.cancel()
        await asyncio.sleep(0.05)  # Turns of this loop, in which both are handed over.
        released.set()
        await asyncio.gather(busy, asking, return_exceptions=True)
        assert asking.cancelled()
        assert await call(other, waits) == "done"
        assert not made

    with_executors(work, 2)


class RefusesLoops(asyncio.DefaultEventLoopPolicy):
    def new_event_loop(self) -> asyncio.AbstractEventLoop:
        raise OSError("no loops here")


@pytest.fixture
def refusing_policy() -> Iterator[None]:
    before = asyncio.get_event_loop_policy()
    asyncio.set_event_loop_policy(RefusesLoops())
    yield
    asyncio.set_event_loop_policy(before)


@pytest.mark.usefixtures("refusing_policy")
def test_a_policy_of_an_agent_reaches_its_own_loop_alone() -> None:
    async def work(one: AgentExecutor) -> None:
        with pytest.raises(OSError, match="no loops here"):
            await call(one, waits)
        assert await call(one, waits, Place.ENGINE_LOOP) == "done"

    with_executors(work)


def test_what_agents_leave_running_is_cancelled_at_the_end_and_not_waited_for_without_a_traceback(
    caplog: pytest.LogCaptureFixture,
) -> None:
    ended: list[str] = []

    @contextlib.asynccontextmanager
    async def opened(seconds: float) -> AsyncIterator[None]:
        try:
            yield
        finally:
            await asyncio.sleep(seconds)
            ended.append("in time")

    async def hold(seconds: float) -> None:
        async with opened(seconds):
            await asyncio.sleep(60)

    async def leaves() -> None:
        tasks = [asyncio.create_task(hold(seconds)) for seconds in (0.01, 60)]
        await asyncio.wait(tasks, timeout=0.01)

    start = time.monotonic()
    with_executors(lambda one: call(one, leaves))
    assert time.monotonic() - start < 30
    assert ended == ["in time"]
    assert not caplog.records


def test_threads_of_agents_end_with_the_work() -> None:
    def agent_threads() -> int:
        return sum(thread.name == "agents" for thread in threading.enumerate())

    async def work() -> None:
        assert agent_threads() == before, "it starts with the first call"
        assert await call(AgentExecutor(), waits) == "done"
        assert agent_threads() == before + 1

    before = agent_threads()  # agents of other tests may have left threads that never end
    run_in_loop(work())
    assert agent_threads() == before


def test_agents_are_called_from_a_loop_of_the_engine_alone() -> None:
    async def ask() -> None:
        running_agent_loop()

    with pytest.raises(RuntimeError, match="run_in_loop or run_to_end"):
        asyncio.run(ask())
