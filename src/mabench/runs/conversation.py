"""A conversation with one agent: a fresh one is made, told a history, asked questions and closed.

Runs, Inspect tasks and ``mabench check`` talk with agents in this way alone. Async methods are
called in the event loop of agents, in a task of the agent's own, and sync ones, which may block for
minutes, in a thread of its own. What of ours asks the model of the run is called in the loop of the
engine, to which the model's connections belong. An agent that is called once at a time has a single
thread and a single task for all its calls, since much that a memory holds belongs to one of them:
an SQLite connection, the session of a client. A call that is cancelled, because it ran out of time,
and does not end keeps its thread or task; nobody waits for that any more, and the agent gets
another.
"""

from __future__ import annotations

import inspect
import shutil
import tempfile
from collections.abc import AsyncIterable, Callable, Collection, Coroutine, Mapping
from dataclasses import KW_ONLY, dataclass, field
from functools import partial
from numbers import Integral
from pathlib import Path
from typing import Any, cast

from mabench.agents import LongContext, ModelReader, Oracle, RetrievalAgent
from mabench.contract import Agent, AgentError, Answer, Passage, Query, Stats
from mabench.contract.answers import CallOutcome, Listing, answer_of, attempt, passages_of
from mabench.contract.methods import EDITING, KINDS, METHODS, Takes, gather
from mabench.lookup import AgentFactory
from mabench.lookup.factory import DEPTH
from mabench.models import ModelAddress
from mabench.runs.opening import open_agent
from mabench.specs import AgentSpec, RunSpec
from mabench.tasks.agents.executor import AgentExecutors, ExecutorTurn, Place, call_here
from mabench.tasks.loops import run_to_end

# Seconds that ending a program which was not ready in time may take.
_END_SECONDS = 30.0
_MOST_LISTED = 1_000_000  # Records or pages of an async generator.
_ANSWERING = ("answer", "search", "list", "close")  # Calls that ``answer_seconds`` limits.


@dataclass(eq=False, repr=False)
class Conversation:
    """A fresh agent and the calls of its methods, sync or async, within limits of seconds.

    The methods raise the exceptions that the agent raises, an AgentRaisedError for whatever else
    it raises, and TimeoutError for a call that runs out of time. Call ``make`` first and ``close``
    last.
    """

    factory: AgentFactory
    _: KW_ONLY
    address: ModelAddress | None = None  # Of the agent's model, instead of the model's own.
    threads: int = 1  # How many calls may be under way at a time, until ``allow`` changes it.
    # How long a call may take; None for any time.
    make_seconds: float | None = None
    memorize_seconds: float | None = None  # Also of every call that has no limit of its own.
    answer_seconds: float | None = None  # Also of searching, listing and closing.
    # Where the agent stores, if it takes a folder; None for an empty one that is removed with it.
    folder: Path | None = None
    agent: Agent = field(init=False)  # Once it is made.
    takes: Takes = field(init=False)  # What it takes, or its memory does; once it is made.
    # Whether it is a memory with a reader, which reads what a search finds; once it is made.
    searches: bool = field(init=False, default=False)
    hung: bool = field(init=False, default=False)  # Whether a call has run out of time.
    # What the last call to end took itself, and of the last answer the search of its memory.
    seconds: float = field(init=False, default=0.0)
    search_seconds: float | None = field(init=False, default=None)

    def __post_init__(self) -> None:
        self._own_folder = self.folder is None and self.factory.takes_folder
        self._methods: Collection[str] = ()  # That it has; none before it is made.
        self._executors = AgentExecutors(self.threads)

    def allow(self, calls: int) -> None:
        """Let as many calls of the agent be under way at a time."""
        self._executors.allow(calls)

    @property
    def _memory(self) -> object:
        return self.agent.memory if isinstance(self.agent, RetrievalAgent) else self.agent

    def has(self, method: str) -> bool:
        """Return whether the agent, or its memory, has an optional method, such as ``save``."""
        if method in EDITING:  # Common words: one that takes something else does not count.
            return method in self.takes.methods
        return method in self._methods

    def _note_abilities(self, agent: Agent) -> None:
        """Note what an agent takes and which methods it has; this may run code of the agent."""
        self.searches = isinstance(agent, RetrievalAgent)
        methods = set()
        for name in METHODS:
            owner: object = agent
            if name == "search" and isinstance(agent, RetrievalAgent):
                owner = agent.memory
            if callable(getattr(owner, name, None)):
                methods.add(name)
        self._methods = methods
        self.takes = Takes.of(agent)

    @property
    def _is_asked_in_parts(self) -> bool:
        """Whether its memory searches and its reader reads, and it adds nothing to that."""
        return self.searches and type(self.agent).answer is RetrievalAgent.answer

    @property
    def asks_model_apart(self) -> bool:
        """Whether our reader asks the model of the run once the memory has searched."""
        return self._is_asked_in_parts and type(self.agent.reader) is ModelReader  # type: ignore[attr-defined]

    @property
    def answers_in_loop(self) -> bool:
        """Whether the agent's own ``answer`` is async."""
        return not self.searches and self._place_of(self.agent.answer) is not Place.THREAD

    def describe_call(self, method: str) -> str:
        """Name a call that failed by the agent's own name of the method, such as ``add of Notes``.

        A memory with a reader is asked in two parts: it searches, and the reader answers. If the
        reader failed, nothing is named, since no method of the memory did.
        """
        if self._is_asked_in_parts and method == "answer":
            # The seconds of a search are known once it has ended.
            reader_failed = self.search_seconds is not None
            return "" if reader_failed else f"search of {self.factory.name}"
        return f"{self._own_name_of(method)} of {self.factory.name}"

    def _own_name_of(self, method: str) -> str:
        """Return the name of an agent's method; a memory with a reader memorizes by ``add``."""
        return "add" if self.searches and method == "memorize" else method

    async def make(self) -> None:
        """Make the agent, an async one in its event loop; raises as ``AgentFactory.make_agent``."""
        if self._own_folder:
            self.folder = Path(tempfile.mkdtemp(prefix="mabench-memory-"))

        def make() -> Agent:
            agent = self.factory.make_agent(
                address=self.address, folder=self.folder, seconds=self.make_seconds
            )
            self._note_abilities(agent)
            return agent

        try:
            limit = self.make_seconds
            if limit is not None and self.factory.takes_limit:
                limit += _END_SECONDS  # It keeps the limit itself, and ends what it started.
            in_loop = self.factory.is_async and self.factory.maker.product is not LongContext
            place = Place.AGENT_LOOP if in_loop else Place.THREAD
            self.agent = await self._within(limit, self._executors.call(make, place, seconds=limit))
        except BaseException:
            self.abandon()
            raise

    async def tell(self, text: str, fields: Mapping[str, object] = {}) -> list[object]:
        """Tell a text, and what it takes of ``fields``; return the ids that it gave it."""
        ids: list[object] = await self._call("memorize", text, given=fields, read=_ids_of)
        return ids

    async def ask(self, query: Query, begin: Callable[[], None] | None = None) -> Answer:
        """Return the agent's answer; an AgentError if it returned no answer.

        ``begin`` is called when it is the question's turn, after the calls before it.
        """
        # A memory with a reader is passed these by the agent around it.
        asked = {} if self.searches else {"time": query.time, "user": query.user}
        return await self._call("answer", query, given=asked, read=answer_of, begin=begin)  # type: ignore[no-any-return]

    def show_gold(self, gold: Callable[[], str]) -> None:
        """Show the gold to mabench's own oracle, when it was named; to any other agent nothing."""
        if self.factory.takes_gold and type(self.agent) is Oracle:
            self.agent.receive_gold(gold())

    async def search(
        self, words: str, k: int | None = None, fields: Mapping[str, object] = {}
    ) -> list[Passage]:
        """Return at most ``k`` passages that a memory finds, without asking its reader.

        The memory is passed what it takes of ``fields``; without ``k``, the agent's own number
        counts.
        """
        depth = k or getattr(self.agent, "k", DEPTH)
        found = await self._call("search", words, depth, given=fields, read=passages_of)
        return found[:depth]  # type: ignore[no-any-return]

    async def update(self, id: object, text: str, fields: Mapping[str, object] = {}) -> None:
        """Replace the text of an id that ``tell`` returned, passed what it takes of ``fields``."""
        await self._call("update", id, text, given=fields)

    async def delete(self, *, id: object = None, user: str | None = None) -> None:
        """Delete a text by its id, or all that is of a user; an AgentError if it cannot."""
        if id is None and user is None:
            raise AgentError("delete takes an id or a user")
        await self._call("delete", given={"id": id, "user": user})

    async def list_texts(self, user: str | None = None) -> list[str]:
        """Return the texts that are held, of one user or of all; an AgentError if it cannot."""
        return [*(await self.list_records(user)).texts]

    async def list_records(self, user: str | None = None) -> Listing:
        """Return the texts that are held, and whether that is visibly not all of them."""
        return await self._call("list", given={"user": user}, read=Listing.of)  # type: ignore[no-any-return]

    async def ready(self) -> None:
        """Return once all that was told can be found; at once if the memory cannot tell."""
        if self.has("ready"):
            await self._call("ready")

    async def maintain(self) -> None:
        """Let a memory that ``has("maintain")`` do what it does in the background."""
        await self._call("maintain")

    async def save(self, folder: Path) -> None:
        """Let an agent that ``has("save")`` save itself in an empty folder."""
        await self._call("save", folder)

    async def load(self, folder: Path) -> None:
        """Let an agent that ``has("load")`` load what was saved in a folder."""
        await self._call("load", folder)

    async def stats(self) -> Stats:
        """Return what the agent says it holds; nothing is known of one without ``stats``."""
        return await self._call("stats", read=Stats.of) if self.has("stats") else Stats()

    async def close(self) -> None:
        """Close the agent, if it can be closed, and let its threads end."""
        try:
            if self.has("close"):
                await self._call("close")
        finally:
            self.abandon()

    def abandon(self) -> None:
        """Let the threads and tasks end and its folder go, and leave the agent as it is."""
        if self._own_folder and self.folder is not None:
            shutil.rmtree(self.folder, ignore_errors=True)
        self._executors.end_idle()

    async def _call(
        self,
        name: str,
        *arguments: object,
        given: Mapping[str, object] = {},
        read: Callable[[object], Any] | None = None,
        begin: Callable[[], None] | None = None,
    ) -> Any:
        """Call a method, passed what it takes of ``given``, and return its result within its limit.

        ``read`` checks and converts what the method returns, in the same place; ``begin`` is called
        when it is the turn of this call.

        Raises:
            AgentError: when the method is missing, or does not take a field that narrows it.
        """
        if name not in KINDS["agent"] and not self.has(name):
            raise AgentError(f"{self.factory.name} has no {name}")
        passed = self._choose_fields(name, given)
        owner = self._memory if name in ("search", *EDITING) else self.agent
        # Looking the method up may run code of the agent, as reading what it returns may.
        method = attempt(partial(getattr, owner, name))
        place, call = self._place_of(method), partial(method, *arguments, **passed)
        if name == "list":
            call = partial(_list_all, call)
        seconds = self.answer_seconds if name in _ANSWERING else self.memorize_seconds
        if name == "answer" and self._is_asked_in_parts:
            search_and_read = partial(self._search_and_read, cast("Query", arguments[0]))
            work = self._executors.run(search_and_read, seconds, begin)
        else:
            work = self._executors.call(call, place, read, seconds=seconds, begin=begin)
        return await self._within(seconds, work)

    def _choose_fields(self, name: str, given: Mapping[str, object]) -> dict[str, object]:
        """Return what a method takes of ``given``.

        Raises:
            AgentError: when ``delete`` or ``list`` does not take a field that has a value: without
                it, the method would be about more than it should be.
        """
        chosen = self.takes.chosen(self._own_name_of(name), given)
        if name in ("delete", "list"):
            lost = [key for key, value in given.items() if value is not None and key not in chosen]
            if lost:
                names = " and ".join(lost)
                raise AgentError(f"{name} of {self.factory.name} does not take {names}")
        return chosen

    async def _search_and_read(self, query: Query, turn: ExecutorTurn) -> CallOutcome[Answer]:
        """Let the memory search and the reader read, each in its place.

        While the model is asked, the memory can search for the next question. Once this ends,
        ``search_seconds`` says how long the search took; None if it failed.
        """
        agent = cast("RetrievalAgent", self.agent)
        search_seconds = None
        try:
            search = attempt(partial(getattr, agent.memory, "search"))
            searching = partial(agent.search_for, query)
            found = await turn.executor.call(searching, self._place_of(search))
            if found.error is not None:
                return found
            search_seconds = round(found.seconds, 6)
            reading = partial(agent.read, query, found.result())
            if self.asks_model_apart:
                turn.end()
                answer = await call_here(reading)
            else:
                answer = await turn.executor.call(reading, self._place_of(agent.reader.read))
            return answer._replace(seconds=found.seconds + answer.seconds)
        finally:
            self.search_seconds = search_seconds

    def _place_of(self, method: object) -> Place:
        """Return where a method is called."""
        if not inspect.iscoroutinefunction(method):
            return Place.THREAD
        # It asks the model of the run, whose connections belong to the engine's loop.
        return Place.ENGINE_LOOP if type(self.agent) is LongContext else Place.AGENT_LOOP

    async def _within(
        self, seconds: float | None, work: Coroutine[Any, Any, CallOutcome[Any]]
    ) -> Any:
        """Return the result of a call, and note how long it took, or that it ran out of time.

        ``seconds`` is the limit that ``work`` keeps; it is only named in the TimeoutError.
        """
        try:
            outcome = await work
        except TimeoutError as error:  # Never the agent's own, which is an outcome.
            self.hung = True
            raise TimeoutError(f"no result within {seconds:g} s") from error
        self.seconds = outcome.seconds
        return outcome.result()

    @classmethod
    def look_at(cls, spec: AgentSpec) -> dict[str, Any]:
        """Make an agent and close it again; return what it is and takes; raises as ``make``."""
        factory, model = open_agent(RunSpec(agent=spec))
        conversation = cls(factory)

        async def make_and_close() -> None:
            await conversation.make()
            await conversation.close()
            if model:
                await model.close()

        run_to_end(make_and_close())
        takes = conversation.takes
        kind = "memory" if conversation.searches else "agent"
        methods = [name for name in METHODS if name in {*KINDS[kind], *takes.methods}]
        return {
            "agent": factory.name,
            "kind": kind,
            "unit": takes.unit,
            "takes": {name: sorted(takes.fields.get(name, ())) for name in methods},
            "near_misses": [*takes.misses],
        }


def _list_all(call: Callable[[], object]) -> object:
    """Return what a call of ``list`` returns; for an async generator, what gathers its items.

    The executor awaits that in the loop of agents.
    """
    listed = call()
    return gather(listed, _MOST_LISTED) if isinstance(listed, AsyncIterable) else listed


def _ids_of(result: object) -> list[object]:
    """Return the ids in what ``add`` returned, one or several, each once."""
    returned = result if isinstance(result, list | tuple) else [result]
    return [*dict.fromkeys(value for value in returned if _is_id(value))]


def _is_id(value: object) -> bool:
    """Return whether a value can be an id: a string or a whole number."""
    return isinstance(value, str | Integral) and not isinstance(value, bool)
