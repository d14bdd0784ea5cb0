"""A session calls one agent, sync or async, from making it to closing it, within its limits."""

import asyncio
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest

from mabench.contract import Answer, Query, Stats
from mabench.errors import UsageError
from mabench.lookup import resolve
from mabench.runs.conversation import Conversation
from tests.runs.agents import async_like, converse
from tests.waiting import until

QUERY = Query("Where?", question="Where?", search_query="Where?", max_tokens=5)


class Sync:
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

    agent: Any = converse(factory, work).agent
    assert agent.chunks == ["closed"]


def test_a_sync_agent_lives_in_a_thread_of_its_own_and_an_async_one_in_the_loop() -> None:
    async def work(session: Conversation) -> Conversation:
        await session.tell("Bern")
        await session.ask(QUERY)
        await session.stats()
        return session

    sync: Any = converse(Sync, work).agent
    assert len(sync.threads) == 5
    assert len({*sync.threads}) == 1
    assert sync.threads[0] != threading.get_ident()
    alone: Any = converse(Async, work).agent
    assert {*alone.threads} == {threading.get_ident()}


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
        converse(Slow, lambda session: session.tell("0"), {"make_seconds": 0.1})


@pytest.mark.parametrize("seconds", [None, 5.0])
def test_a_call_without_result_in_time_is_a_hang_but_no_own_timeout(
    seconds: float | None,
) -> None:
    class TimesOut(Bare):
        def answer(self, query: Query) -> str:
            raise TimeoutError

    async def work() -> None:
        for factory in (TimesOut, async_like(TimesOut)):
            session = Conversation(resolve(factory), answer_seconds=seconds, memorize_seconds=0.1)
            await session.make()
            with pytest.raises(TimeoutError, match=r"^$"):
                await session.ask(QUERY)
            assert not session.hung
            with pytest.raises(TimeoutError, match=r"^no result within 0\.1 s$"):
                await session.tell("0.5")
            assert session.hung
            await session.close()

    asyncio.run(work())


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

    def ended() -> bool:
        return not {*threading.enumerate()} - others

    others = {*threading.enumerate()}
    no_disk = pytest.raises(UsageError, match="no disk")
    busy = pytest.raises(OSError, match="still busy")
    for agent, refusal in (Sync, nullcontext()), (Refuses, no_disk), (Clings, busy):
        with refusal:
            converse(agent, lambda session: session.tell("0"), {"threads": 3})
        until(ended, 1)
    asyncio.run(abandon())
    until(ended, 1)
