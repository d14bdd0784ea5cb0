"""A conversation calls one agent within its limits, and passes on what it declares."""

import asyncio
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import nullcontext
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from mabench.contract import AgentError, Answer, Query, Stats
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
            raise TimeoutError("the store is slow")

    async def work() -> None:
        for factory in (TimesOut, async_like(TimesOut)):
            session = Conversation(resolve(factory), answer_seconds=seconds, memorize_seconds=0.1)
            await session.make()
            with pytest.raises(TimeoutError, match=r"^the store is slow$"):
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


MAY = datetime(2024, 5, 1, 9, 30, tzinfo=UTC)
ASKED = Query("Where?", question="Where?", search_query="where", max_tokens=5, time=MAY, user="Ada")
FIELDS = {"time": MAY, "speaker": "Bo", "session": None, "user": "Ada", "answers": "gold"}


class Keeper:
    """Keeps everything, and where it does, and calls texts by numbers."""

    def __init__(self, folder: Path) -> None:
        assert not [*folder.iterdir()]
        self.folder = folder
        self.texts: dict[int, str] = {}

    def add(self, text: str) -> list[int]:
        self.texts[id := len(self.texts)] = text
        (self.folder / str(id)).write_text(text)
        return [id]

    def search(self, query: str, k: int) -> list[Any]:
        return [*self.texts.values()]

    async def delete(self, id: int) -> None:
        del self.texts[id]

    async def list(self) -> list[str]:
        return [*self.texts.values()]


class Scribe:
    """An agent that declares fields of its own methods."""

    def __init__(self) -> None:
        self.calls: list[Any] = []

    async def memorize(self, chunk: str, *, speaker: str = "?") -> int:
        self.calls.append((chunk, speaker))
        return len(self.calls)

    def answer(self, query: Query, user: Any = None) -> str:
        return f"{user} {query.user} {query.time == MAY}"


def test_an_agent_is_passed_what_it_declares_and_its_query_says_the_rest() -> None:
    async def work(door: Conversation) -> None:
        assert await door.tell("a", FIELDS) == ["1"]
        assert (await door.ask(ASKED)).text == "Ada Ada True"
        assert door.agent.calls == [("a", "Bo")]  # type: ignore[attr-defined]
        assert not door.has("delete")
        await door.ready()

    converse(Scribe, work)


@pytest.mark.parametrize(
    ("wrong", "problem"),
    [
        (lambda door: door.delete(id="7"), "^'7'$"),
        (lambda door: door.delete(user="Ada"), "delete of .*Keeper does not take user"),
        (lambda door: door.list_texts("Ada"), "list of .*Keeper does not take user"),
    ],
)
def test_what_it_cannot_do_fails_the_call_and_loses_nothing(wrong: Any, problem: str) -> None:
    async def work(door: Conversation) -> None:
        await door.tell("a")
        [own] = await door.tell("b")
        await door.delete(id=own)  # As the number that it is.
        with pytest.raises((KeyError, AgentError), match=problem):
            await wrong(door)
        assert await door.list_texts() == ["a"]

    converse(Keeper, work)


def test_an_agent_without_a_method_says_so() -> None:
    with pytest.raises(AgentError, match="Scribe has no update"):
        converse(Scribe, lambda door: door.update("1", "text"))


def test_each_memory_gets_a_folder_that_goes_with_it(tmp_path: Path) -> None:
    async def work(door: Conversation) -> Path:
        await door.tell("a")
        assert door.folder is not None
        assert len([*door.folder.iterdir()]) == 1
        return door.folder

    first, second = (converse(Keeper, work) for _ in range(2))
    assert first != second
    assert not first.exists()
    assert not second.exists()
    assert converse(Keeper, work, {"folder": tmp_path}) == tmp_path
    assert len([*tmp_path.iterdir()]) == 1


def test_the_folder_of_what_cannot_be_made_goes_too() -> None:
    seen: list[Path] = []

    def refuse(folder: Path) -> object:
        seen.append(folder)
        (folder / "half").write_text("half")
        raise OSError("no disk")

    async def nothing(door: Conversation) -> None: ...

    with pytest.raises(UsageError, match="no disk"):
        converse(refuse, nothing)
    assert not seen[0].exists()


def test_a_memory_of_another_signature_is_refused_with_what_is_meant() -> None:
    class Near:
        def add(self, text: str, timestamp: Any) -> None: ...

        def search(self, query: str, k: int) -> list[str]:
            return []

    async def nothing(door: Conversation) -> None: ...

    with pytest.raises(UsageError, match=r"must be callable as add\(text\) \(is timestamp .* time"):
        converse(Near, nothing)
