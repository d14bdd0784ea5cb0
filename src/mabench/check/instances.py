"""Fresh instances of the agent that is checked, and calls of them that say what failed."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Iterable, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

from mabench.check.facts import Fact, facts_in
from mabench.contract import Answer, Query, Stats
from mabench.errors import MabenchError, UsageError
from mabench.families import family_of, load_prompts, search_query
from mabench.models import ModelUnavailableError
from mabench.runs.engine.failure import error_line
from mabench.runs.engine.session import AgentSession
from mabench.runs.spec import AgentSpec

_FAMILY = family_of("ruler_qa1_197K")
_PROMPTS = load_prompts()
_MAX_TOKENS = 50

_T = TypeVar("_T")


class CallError(MabenchError):
    """A call of the agent failed; the message says which and how."""


class HangError(CallError):
    """A call of the agent took too long."""


class CheckedAgent:
    """The agent that is checked: makes fresh instances of it.

    Args:
        spec: which agent it is; replies of its model are not kept.
        timeout: how many seconds a call of it may take.

    Attributes:
        spec, timeout: as above, for other processes that make the same agent.
        name: the agent's name with its settings.
        found_share: the share of what was memorized that is found, once that was checked.

    Raises:
        UsageError: when there is no such agent or setting.
        MissingPackageError: when the model takes a package that is not installed.
    """

    def __init__(self, spec: AgentSpec, timeout: float) -> None:
        # Kept replies would make any agent look deterministic.
        self.spec = replace(spec, model=spec.model and replace(spec.model, cache=False))
        self.timeout = timeout
        self._model = self.spec.open_model()
        self._factory = self.spec.resolve(self._model)
        self.name = self._factory.name
        self.found_share = 0.0

    @asynccontextmanager
    async def fresh(self) -> AsyncIterator[Instance]:
        """Make a fresh instance and close it in the end.

        Raises:
            CallError: when it cannot be made.
            HangError: when making or closing it takes too long.
        """
        seconds = self.timeout
        session = AgentSession(
            self._factory, make_seconds=seconds, memorize_seconds=seconds, answer_seconds=seconds
        )
        instance = Instance(session, seconds)
        await instance.make()
        try:
            yield instance
        finally:
            await instance.close()

    async def close(self) -> None:
        """Give the model's connections back."""
        if self._model:
            await self._model.close()


class Instance:
    """One instance of the agent.

    Every method that calls it raises CallError when the call fails, HangError when it takes too
    long, and ModelUnavailableError when the model's server answers no request.
    """

    def __init__(self, session: AgentSession, seconds: float) -> None:
        self._session = session
        self._seconds = seconds

    @property
    def searches(self) -> bool:
        """Whether it is a memory, which can be searched without its reader."""
        return self._session.searches

    def has(self, method: str) -> bool:
        """Whether it has an optional method."""
        return self._session.has(method)

    async def make(self) -> None:
        """Make the instance."""
        await self._checked("making it", self._session.make())

    async def memorize(self, text: str) -> None:
        """Tell a text."""
        await self._checked("memorize", self._session.memorize(text))

    async def tell(self, facts: Iterable[Fact]) -> None:
        """Tell facts, one at a time."""
        for fact in facts:
            await self.memorize(fact.text)

    async def ask(self, question: str) -> Answer:
        """Return the answer to a question."""
        return await self._checked("answer", self._session.answer(query_of(question)))

    async def ask_all(self, facts: Iterable[Fact]) -> list[Answer]:
        """Return the answers to the questions for facts, in order."""
        return [await self.ask(fact.question) for fact in facts]

    async def ask_all_untold(self, facts: Iterable[Fact]) -> list[Answer]:
        """Ask an instance that was told nothing: where it fails, the answer is empty."""
        answers = []
        for fact in facts:
            try:
                answers.append(await self.ask(fact.question))
            except HangError:
                raise
            except CallError:
                answers.append(Answer(""))
        return answers

    async def known(self, facts: Sequence[Fact]) -> list[Fact]:
        """Ask for facts and return those that are known."""
        return facts_in(await self.ask_all(facts), facts)

    async def search(self, query: Query) -> None:
        """Let a memory search, without its reader; an agent of another kind answers."""
        await self._checked("search" if self.searches else "answer", self._session.search(query))

    async def save(self, folder: Path) -> None:
        """Let it save itself."""
        await self._checked("save", self._session.save(folder))

    async def load(self, folder: Path) -> None:
        """Let it load what was saved."""
        await self._checked("load", self._session.load(folder))

    async def stats(self) -> Stats:
        """Return what it says it holds; a failure says nothing, as no score depends on it."""
        try:
            return await self._checked("stats", self._session.stats())
        except HangError:
            raise
        except CallError:
            return Stats()

    async def close(self) -> None:
        """Close the instance unless it hangs; that it cannot be closed does no harm, as in a run.

        Raises:
            HangError: when that takes too long.
        """
        if self._session.hung:
            self._session.abandon()
            return
        try:
            await self._checked("close", self._session.close())
        except HangError:
            raise
        except CallError:
            return

    async def _checked(self, name: str, call: Awaitable[_T]) -> _T:
        """Return what a call returns; ``name`` is what messages call it."""
        try:
            return await call
        except ModelUnavailableError:
            raise  # It is no fault of the memory, and no check can be carried out.
        except UsageError as error:
            raise CallError(error_line(error)) from error  # It says itself what failed.
        except Exception as error:
            if self._session.hung:
                raise HangError(
                    f"{name} hangs: no result within {self._seconds:g} s; if it is only slow, "
                    "allow more with `timeout`"
                ) from error
            raise CallError(f"{name} failed: {error_line(error)}") from error


def query_of(question: str) -> Query:
    """Return a query as a run makes it."""
    prompt = _PROMPTS.ask(_FAMILY.name, question)
    return Query(
        prompt, question=question, search_query=search_query(prompt), max_tokens=_MAX_TOKENS
    )
