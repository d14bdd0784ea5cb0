"""A session calls one agent, sync or async, from making it to closing it, within its limits."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

import pytest

from mabench.contract import AgentError, Answer, Query, Stats
from mabench.errors import UsageError
from mabench.lookup import resolve
from mabench.runs.conversation import Conversation
from tests.runs.agents import async_like

T = TypeVar("T")

QUERY = Query("Where?", question="Where?", search_query="Where?", max_tokens=5)


class Sync:
    """Notes the thread of every call."""

    def __init__(self) -> None:
        self.chunks: list[str] = []
        self.threads = [threading.get_ident()]

    def _note(self) -> None:
        self.threads.append(threading.get_ident())

    def memorize(self, chunk: str) -> None:
        self._note()
        self.chunks.append(chunk)

    def answer(self, query: Query) -> str:
        self._note()
        return f"{query} {'+'.join(self.chunks)}"

    def stats(self) -> Mapping[str, int]:
        self._note()
        return {"memories": len(self.chunks)}

    def save(self, folder: Path) -> None:
        (folder / "chunks").write_text("\n".join(self.chunks))

    def load(self, folder: Path) -> None:
        self.chunks = (folder / "chunks").read_text().splitlines()

    def close(self) -> None:
        self._note()
        self.chunks = ["closed"]


class Async(async_like(Sync)):  # type: ignore[misc]  # made here
    def __init__(self) -> None:
        asyncio.get_running_loop()
        super().__init__()


class Both(Sync):
    """Sync methods, of which one returns what is to be awaited."""

    def answer(self, query: Query) -> Any:
        text = super().answer(query)

        async def later() -> str:
            await asyncio.sleep(0)
            return text

        return later()


class Bare:
    """Nothing but what is required; a call takes as long as it is told."""

    def memorize(self, chunk: str) -> None:
        time.sleep(float(chunk))

    def answer(self, query: Query) -> Any:
        return query.search_query


class BareAsync:
    async def memorize(self, chunk: str) -> None:
        await asyncio.sleep(float(chunk))

    async def answer(self, query: Query) -> Any:
        return query.search_query


def in_session(
    factory: Callable[[], object],
    work: Callable[[Conversation], Awaitable[T]],
    **options: Any,
) -> T:
    """Do work in a session of its own and close it."""

    async def whole() -> T:
        session = Conversation(resolve(factory), **options)
        await session.make()
        try:
            return await work(session)
        finally:
            await session.close()

    return asyncio.run(whole())


@pytest.mark.parametrize("factory", [Sync, Async, Both])
def test_an_agent_of_any_kind_is_told_asked_saved_loaded_and_closed(
    factory: Callable[[], object], tmp_path: Path
) -> None:
    async def work(session: Conversation) -> Conversation:
        await session.tell("Bern")
        await session.tell("Oslo")
        assert await session.ask(QUERY) == Answer("Where? Bern+Oslo")
        assert await session.stats() == Stats(2)
        await session.save(tmp_path)
        await session.tell("Rome")
        await session.load(tmp_path)
        assert await session.ask(QUERY) == Answer("Where? Bern+Oslo")
        assert not session.hung
        return session

    session = in_session(factory, work)
    agent: Any = session.agent
    assert agent.chunks == ["closed"]


def test_a_sync_agent_lives_in_a_thread_of_its_own_and_an_async_one_in_the_loop() -> None:
    async def work(session: Conversation) -> Conversation:
        await session.tell("Bern")
        await session.ask(QUERY)
        await session.stats()
        return session

    sync: Any = in_session(Sync, work).agent
    assert len(sync.threads) == 5
    assert len({*sync.threads}) == 1
    assert sync.threads[0] != threading.get_ident()
    alone: Any = in_session(Async, work).agent
    assert {*alone.threads} == {threading.get_ident()}


@pytest.mark.parametrize("threads", [1, 3])
def test_as_many_sync_calls_are_under_way_as_there_are_threads(threads: int) -> None:
    class Meets(Bare):
        """An answer waits for two others to be under way."""

        def __init__(self) -> None:
            self.meeting = threading.Barrier(3)

        def answer(self, query: Query) -> str:
            try:
                self.meeting.wait(0.3)
            except threading.BrokenBarrierError:
                return "alone"
            return "met"

    async def work(session: Conversation) -> Sequence[Answer]:
        return await asyncio.gather(*(session.ask(QUERY) for _ in range(3)))

    answers = in_session(Meets, work, threads=threads)
    assert {answer.text for answer in answers} == {"met" if threads == 3 else "alone"}


@pytest.mark.parametrize("factory", [Bare, BareAsync])
def test_a_call_that_runs_out_of_time_leaves_the_session_usable(
    factory: Callable[[], object],
) -> None:
    async def work(session: Conversation) -> str:
        with pytest.raises(TimeoutError, match=r"^no result within 0\.1 s$"):
            await session.tell("60.0")
        assert session.hung
        return (await session.ask(QUERY)).text

    start = time.monotonic()
    assert in_session(factory, work, memorize_seconds=0.1, answer_seconds=5.0) == "Where?"
    assert time.monotonic() - start < 30


def test_the_limits_of_answers_hold_for_searching_and_closing() -> None:
    class Slow:
        """A memory that adds at once; everything else takes long."""

        def add(self, text: str) -> None: ...

        def search(self, query: str, k: int) -> list[str]:
            time.sleep(0.5)
            return [query]

        def close(self) -> None:
            time.sleep(0.5)

    async def work() -> None:
        session = Conversation(resolve(Slow), memorize_seconds=0.01, answer_seconds=0.1)
        await session.make()
        assert session.searches
        await session.tell("Bern")
        for call in (session.search(QUERY), session.ask(QUERY), session.close()):
            with pytest.raises(TimeoutError, match=r"0\.1 s"):
                await call

    asyncio.run(work())


def test_making_that_takes_too_long_ends() -> None:
    class Slow(Bare):
        def __init__(self) -> None:
            time.sleep(0.5)

    with pytest.raises(TimeoutError, match=r"no result within 0\.1 s"):
        in_session(Slow, lambda session: session.tell("0"), make_seconds=0.1)


@pytest.mark.parametrize("message", ["", "the store did not reply"])
@pytest.mark.parametrize("seconds", [None, 5.0])
def test_a_timeout_of_the_agents_own_is_no_hang(message: str, seconds: float | None) -> None:
    class TimesOut(Bare):
        def answer(self, query: Query) -> str:
            raise TimeoutError(message)

    class TimesOutLater(BareAsync):
        async def answer(self, query: Query) -> str:
            raise TimeoutError(message)

    async def work(session: Conversation) -> bool:
        with pytest.raises(TimeoutError, match=f"^{message}$"):
            await session.ask(QUERY)
        return session.hung

    for factory in (TimesOut, TimesOutLater):
        assert not in_session(factory, work, answer_seconds=seconds)


def test_what_the_agent_raises_and_returns_is_passed_on_or_refused() -> None:
    class Wrong(Bare):
        def answer(self, query: Query) -> Any:
            return 43

        def stats(self) -> Mapping[str, int]:
            raise LookupError("no statistics")

        def close(self) -> None:
            raise OSError("already closed")

    async def work(session: Conversation) -> None:
        with pytest.raises(ValueError, match="could not convert"):
            await session.tell("Bern")
        with pytest.raises(AgentError, match="the answer is int 43"):
            await session.ask(QUERY)
        with pytest.raises(LookupError, match="no statistics"):
            await session.stats()

    with pytest.raises(OSError, match="already closed"):
        in_session(Wrong, work)


def test_optional_methods_are_not_needed() -> None:
    async def work(session: Conversation) -> Stats:
        assert not any(map(session.has, ("save", "load", "stats", "close")))
        assert not session.searches
        return await session.stats()

    assert in_session(Bare, work) == Stats()


def test_what_is_no_agent_is_refused() -> None:
    with pytest.raises(UsageError, match="has no method memorize"):
        in_session(object, lambda session: session.tell(""))


def _ended(others: set[threading.Thread]) -> bool:
    """Whether all threads but these end within a second."""
    end = time.monotonic() + 1
    while {*threading.enumerate()} - others and time.monotonic() < end:
        time.sleep(0.01)
    return not {*threading.enumerate()} - others


def test_threads_end_with_their_session() -> None:
    class Refuses(Bare):
        def __init__(self) -> None:
            raise OSError("no disk")

    class Clings(Bare):
        def close(self) -> None:
            raise OSError("still busy")

    class Open(Sync):
        def close(self) -> None:
            raise AssertionError("an agent that is abandoned is not called")

    async def abandon() -> None:
        session = Conversation(resolve(Open), threads=3)
        await session.make()
        session.abandon()

    others = {*threading.enumerate()}
    in_session(Sync, lambda session: session.tell("Bern"), threads=3)
    assert _ended(others)
    with pytest.raises(UsageError, match="no disk"):
        in_session(Refuses, lambda session: session.tell(""))
    assert _ended(others)
    with pytest.raises(OSError, match="still busy"):
        in_session(Clings, lambda session: session.tell("0"))
    assert _ended(others)
    asyncio.run(abandon())
    assert _ended(others)
