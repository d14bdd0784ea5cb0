"""An agent is made, told, asked and closed: by the engine, and in a conversation of its own."""

import asyncio
import json
import threading
import time
from collections.abc import Mapping
from contextlib import nullcontext
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

import mabench
from mabench.contract import AgentError, Answer, Query, Stats
from mabench.errors import UsageError
from mabench.lookup import resolve
from mabench.results import Run
from mabench.runs.conversation import Conversation
from mabench.specs import AgentSpec, Limits
from mabench.tasks.loops import run_to_end
from tests.command_line import until
from tests.progress import RecordedProgress
from tests.rows import dataset, keep_samples, two_rows
from tests.runs.agents import Oslo, async_like, converse, failing, like


def test_each_row_has_a_fresh_agent_that_sees_chunks_and_queries_alone(tmp_path: Path) -> None:
    made: list[Any] = []

    class Recorder(Oslo):
        def __init__(self) -> None:
            made.append(self)
            self.chunks: list[str] = []
            self.queries: list[Query] = []
            self.closed = False

        def memorize(self, chunk: str) -> None:
            self.chunks.append(chunk)

        def answer(self, query: Query) -> Any:
            self.queries.append(query)
            return super().answer(query)

        def close(self) -> None:
            self.closed = True

    progress = RecordedProgress()
    run = mabench.run(Recorder, dataset(), progress=progress, out=tmp_path / "run")
    agent, second = made
    assert "tower" in "".join(second.chunks)
    assert "Ann" not in "".join(second.chunks)
    assert agent.closed
    assert second.closed
    assert "".join(agent.chunks) == two_rows()[0].context.strip()
    query = agent.queries[0]
    assert query.question == query.search_query.split("\n")[0] == "Where does Ann live?"
    readings = (query.question, query.search_query, query.system)
    seen = " ".join([*agent.chunks, *agent.queries, *readings])
    assert "factconsolidation" not in seen
    assert "_no0" not in seen
    parts = {"question", "search_query", "max_tokens", "system", "time", "user"}

    class Text(str):  # It has what Python itself gives a class; versions differ.
        __slots__ = ("question",)
        system: str

    assert {*dir(query)} - {*dir(Text)} <= parts | {"__getnewargs_ex__"}
    memory = json.loads((run.folder / "memories.jsonl").read_text().splitlines()[0])
    assert memory["source"] == "factconsolidation_sh_6k"
    assert (memory["chunks"], memory["error"]) == (1, None)
    assert memory["characters"] == len(two_rows()[0].context.strip())
    assert "its code is unknown: it is defined within a function." in progress.events[0]
    assert progress.events[1:7] == [
        "start questions 0/5",
        "start chunks 0/1 factconsolidation_sh_6k, row 0 3 questions",
        "advance chunks",
        *["advance questions"] * 3,
    ]
    assert len(progress.events) == 11


def test_a_run_can_be_started_from_a_running_event_loop(tmp_path: Path) -> None:
    async def notebook() -> Run:
        return mabench.run(async_like(Oslo), dataset(), out=tmp_path / "run")

    assert asyncio.run(notebook()).summary["sources"]["ruler_qa1_197K"]["n"] == 2


def test_only_the_agent_named_oracle_is_shown_the_gold(tmp_path: Path) -> None:
    from mabench.agents import Oracle

    class Impostor(Oracle):
        pass

    for agent in (Oracle, Impostor):
        run = mabench.run(agent, dataset(), out=tmp_path / agent.__name__)
        assert run.summary["sources"]["factconsolidation_sh_6k"]["official"] == 0


def test_progress_is_told_of_failures_and_of_what_is_answered_already(tmp_path: Path) -> None:
    fails = AgentSpec(agent=like(Oslo, answer=failing(RuntimeError("no idea"))), same_code=True)
    run = mabench.run(fails, dataset(), out=tmp_path / "run")
    keep_samples(run.folder, 3)
    progress = RecordedProgress()
    mabench.run(fails, dataset(), out=tmp_path / "run", progress=progress)
    told = progress.events
    assert told[1:3] == [
        "start questions 3/5",
        f"note questions {run.folder}: 3 of 5 questions answered already, 2 to ask.",
    ]
    assert told[-3] == "advance questions 1 error"
    assert told[-2].startswith("say ruler_qa1_197K, row 0, question 0: ")
    assert told[-1] == "advance questions 2 errors"  # It is the same one: nothing is said.


KNOWN = ("Bern", "Oslo", "Bob", "300 metres")


@pytest.mark.parametrize(
    ("agent", "answers"),
    [
        ("floor", [*KNOWN, "bridge"]),
        ("bm25", [*KNOWN, "bridge"]),
        ("oracle", [*KNOWN, "the bridge"]),
        ("no-memory", ["I could only guess."] * 5),
    ],
)
def test_built_in_agents_answer(agent: str, answers: list[str], tmp_path: Path) -> None:
    run = mabench.run(agent, dataset(), out=tmp_path / "run")
    assert [sample.prediction for sample in run.samples()] == answers


MAY = datetime(2024, 5, 1, 9, 30, tzinfo=UTC)
QUERY = Query("Where?", question="Where?", search_query="where", max_tokens=5, time=MAY, user="Ada")
FIELDS = {"time": MAY, "speaker": "Bo", "session": None, "user": "Ada", "answers": "gold"}


class Sync:
    """Declares fields of its own methods, and notes the threads that it is called in."""

    def __init__(self) -> None:
        self.chunks: list[str] = []
        self.threads = [threading.get_ident()]

    def memorize(self, chunk: str, *, speaker: str = "?") -> int:
        self.threads.append(threading.get_ident())
        self.chunks.append(f"{speaker} {chunk}")
        return len(self.chunks)

    def answer(self, query: Query, user: Any = None) -> Any:
        self.threads.append(threading.get_ident())
        return f"{user} {query.user} {query.time == MAY} {'+'.join(self.chunks)}"

    def stats(self) -> Mapping[str, int]:
        self.threads.append(threading.get_ident())
        return {"memories": len(self.chunks)}

    def save(self, folder: Path) -> None:
        (folder / "chunks").write_text("\n".join(self.chunks))

    def load(self, folder: Path) -> None:
        self.chunks = (folder / "chunks").read_text().splitlines()

    def close(self) -> None:
        self.threads.append(threading.get_ident())
        self.chunks = ["closed"]


class Async(Sync):
    """Async methods, and made where a loop runs."""

    def __init__(self) -> None:
        asyncio.get_running_loop()
        super().__init__()

    async def memorize(self, chunk: str, *, speaker: str = "?") -> int:  # type: ignore[override]
        return super().memorize(chunk, speaker=speaker)

    async def answer(self, query: Query, user: Any = None) -> str:
        return str(super().answer(query, user))


class Both(Sync):
    """Sync methods, of which one returns what is to be awaited."""

    def answer(self, query: Query, user: Any = None) -> Any:
        text = super().answer(query, user)

        async def later() -> str:
            await asyncio.sleep(0)
            return str(text)

        return later()


class Bare:
    """Nothing but what is required; a call takes as long as it is told."""

    def memorize(self, chunk: str) -> None:
        time.sleep(float(chunk))

    def answer(self, query: Query) -> Any:
        return query.search_query


@pytest.mark.parametrize("factory", [Sync, Async, Both])
def test_an_agent_of_any_kind_is_passed_what_it_declares_where_its_code_runs(
    factory: type[Sync], tmp_path: Path
) -> None:
    ours = {threading.get_ident()}

    async def work(door: Conversation) -> Conversation:
        ours.add(threading.get_ident())
        assert await door.tell("Bern", FIELDS) == [1]
        await door.tell("Oslo")
        assert await door.ask(QUERY) == Answer("Ada Ada True Bo Bern+? Oslo")
        assert await door.stats() == Stats(2)
        await door.save(tmp_path)
        await door.tell("Rome")
        await door.load(tmp_path)
        assert await door.ask(QUERY) == Answer("Ada Ada True Bo Bern+? Oslo")
        assert not door.has("delete")
        await door.ready()
        assert not door.hung
        with pytest.raises(AgentError, match=f"{factory.__name__} has no update"):
            await door.update("1", "text")
        return door

    agent: Any = converse(factory, work).agent
    assert agent.chunks == ["closed"]
    assert len(agent.threads) == 8
    assert len({*agent.threads}) == (2 if factory is Async else 1)
    assert not ours & {*agent.threads}


def test_the_limits_of_answers_hold_for_searching_and_closing_and_making_has_its_own() -> None:
    class Slow:
        """A memory that adds at once; everything else takes long."""

        def __init__(self) -> None:
            time.sleep(0.5)

        def add(self, text: str) -> None: ...

        def search(self, query: str, k: int) -> list[str]:
            time.sleep(0.5)
            return [query]

        def close(self) -> None:
            time.sleep(0.5)

    async def work() -> None:
        door = Conversation(
            resolve(AgentSpec(agent=Slow)), memorize_seconds=60.0, answer_seconds=0.1
        )
        await door.make()
        assert door.searches
        await door.tell("Bern")
        for call in (door.search(QUERY), door.ask(QUERY), door.close()):
            with pytest.raises(TimeoutError, match=r"0\.1 s"):
                await call

    run_to_end(work())
    with pytest.raises(TimeoutError, match=r"no result within 0\.1 s"):
        converse(Slow, lambda door: door.tell("0"), {"make_seconds": 0.1})


@pytest.mark.parametrize("seconds", [None, 5.0])
def test_a_call_without_result_in_time_is_a_hang_but_no_own_timeout(
    seconds: float | None,
) -> None:
    times_out = like(Bare, answer=failing(TimeoutError("the store is slow")))

    async def work() -> None:
        for factory in (times_out, async_like(times_out)):
            door = Conversation(
                resolve(AgentSpec(agent=factory)), answer_seconds=seconds, memorize_seconds=0.1
            )
            await door.make()
            with pytest.raises(TimeoutError, match=r"^the store is slow$"):
                await door.ask(QUERY)
            assert not door.hung
            with pytest.raises(TimeoutError, match=r"^no result within 0\.1 s$"):
                await door.tell("0.5")
            assert door.hung
            await door.close()

    run_to_end(work())


def test_threads_end_with_their_session() -> None:
    refuses = like(Bare, __init__=failing(OSError("no disk")))
    clings = like(Bare, close=failing(OSError("still busy")))
    open_one = like(Sync, close=failing(AssertionError("what is abandoned is not called")))

    async def abandon() -> None:
        door = Conversation(resolve(AgentSpec(agent=open_one)), threads=3)
        await door.make()
        door.abandon()

    def ended() -> bool:
        return not {*threading.enumerate()} - others

    others = {*threading.enumerate()}
    no_disk = pytest.raises(UsageError, match="no disk")
    busy = pytest.raises(OSError, match="still busy")
    for agent, refusal in (Sync, nullcontext()), (refuses, no_disk), (clings, busy):
        with refusal:
            converse(agent, lambda door: door.tell("0"), {"threads": 3})
        until(ended, 1)
    run_to_end(abandon())
    until(ended, 1)


class Keeper:
    """Keeps everything, and where it does, and calls texts by numbers."""

    def __init__(self, folder: Path, whole: bool = True) -> None:
        assert not [*folder.iterdir()]
        self.folder = folder
        self.texts: dict[int, str] = {}
        if not whole:
            (folder / "half").write_text("half")
            raise OSError(f"no disk for {folder}")

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


def test_what_a_memory_cannot_do_fails_the_call_and_loses_nothing() -> None:
    async def work(door: Conversation) -> None:
        await door.tell("a")
        [own] = await door.tell("b")
        await door.delete(id=own)  # As the number that it is.
        with pytest.raises(KeyError, match=r"^'7'$"):
            await door.delete(id="7")
        with pytest.raises(AgentError, match=r"delete of .*Keeper does not take user"):
            await door.delete(user="Ada")
        with pytest.raises(AgentError, match=r"list of .*Keeper does not take user"):
            await door.list_texts("Ada")
        assert await door.list_texts() == ["a"]

    converse(Keeper, work)


def test_each_memory_gets_a_folder_that_goes_with_it(tmp_path: Path) -> None:
    async def work(door: Conversation) -> Path:
        await door.tell("a")
        assert door.folder is not None
        assert len([*door.folder.iterdir()]) == 1
        return door.folder

    first, second = (converse(Keeper, work) for _ in range(2))
    assert first != second
    assert converse(Keeper, work, {"folder": tmp_path}) == tmp_path
    assert len([*tmp_path.iterdir()]) == 1
    with pytest.raises(UsageError, match="no disk for") as unmade:
        converse(Keeper, work, settings={"whole": False})
    third = Path(str(unmade.value).partition("no disk for ")[2].split(";")[0])
    assert third.parent == first.parent
    assert not any(folder.exists() for folder in (first, second, third))


def test_a_memory_of_another_signature_is_refused_with_what_is_meant() -> None:
    near = like(Keeper, add=lambda self, text, timestamp: [])
    with pytest.raises(UsageError, match=r"must be callable as add\(text\) \(is timestamp .* time"):
        converse(near, lambda door: door.ready())


def test_no_more_is_begun_at_once_than_there_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    threads: list[int] = []
    allow = Conversation.allow

    def note(self: Conversation, calls: int) -> None:
        threads.append(calls)
        assert calls < 10**6  # Else the machine would have no memory left.
        allow(self, calls)

    monkeypatch.setattr(Conversation, "allow", note)
    limits = Limits(rows=3, questions=10**12)
    run = mabench.run(Oslo, dataset(), limits=limits, out=tmp_path / "run")
    assert run.summary.spent.n == sum(run.record.questions.values())
    assert sorted(threads) == sorted(len(row.questions) for row in two_rows())
