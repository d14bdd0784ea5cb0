"""A conversation with one instance of the agent that is checked; every failure is named.

Its calls raise CallError when they fail, HangError when they take too long, and
ModelUnavailableError when the model's server answers no request.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Coroutine, Iterable, Sequence
from datetime import datetime
from typing import Any, TypeVar

from mabench.bench.facts import Fact
from mabench.check.answers import known_facts
from mabench.contract import Answer, Passage, Query, Stats, passages_of
from mabench.contract.answers import describe_in_a_line
from mabench.data import Question
from mabench.errors import MabenchError, UsageError
from mabench.families import Prompts, family_of
from mabench.injection import Prompting
from mabench.models import ModelStoppedError, ModelUnavailableError
from mabench.runs.conversation import Conversation
from mabench.specs import RunSpec

# Questions are asked as a run asks those of this source, a plain one of short answers.
_FAMILY = family_of("ruler_qa1_197K")
_PROMPTING = Prompting(RunSpec(), Prompts.load())

ResultT = TypeVar("ResultT")


class CallError(MabenchError):
    """A call of the agent failed; the message says which and how."""


class HangError(MabenchError):
    """A call of the agent took too long; the message says which."""


class Instance(Conversation):
    """A conversation with one instance of the agent; every failure names the call."""

    async def tell_facts(self, facts: Iterable[Fact], **fields: object) -> None:
        """Tell facts one at a time, each with the same fields."""
        for fact in facts:
            await self.tell(fact.text, fields)

    async def answer(
        self, question: str, *, time: datetime | None = None, user: str | None = None
    ) -> Answer:
        """Return the answer to a question, which a user may ask as of a time.

        Before, the agent is given the time that it needs until what it was told can be found.
        """
        await self.ready()
        query = _query_of(question)
        query.time, query.user = time, user
        return await self.ask(query)

    async def search_or_answer(self, question: str) -> None:
        """Search once, as a run does for a question; let an agent that does not search answer."""
        if self.searches:
            await self.search(_query_of(question).search_query)
        else:
            await self.answer(question)

    async def search_without_cut(self, question: str, k: int) -> list[Passage]:
        """Return all that a search for ``k`` passages returns, also if that is more than ``k``.

        An agent without a search returns nothing.
        """
        if not self.searches:
            return []
        search_query = _query_of(question).search_query
        return await self._call("search", search_query, k, read=passages_of)  # type: ignore[no-any-return]

    async def answer_all(
        self, facts: Iterable[Fact], *, time: datetime | None = None, user: str | None = None
    ) -> list[Answer]:
        """Return the answers to the questions for facts, in order.

        They are asked at once if the instance was made for several calls at a time, else one by
        one. As ``answer``.
        """
        if self.threads > 1:
            return await run_together(
                self.answer(fact.question, time=time, user=user) for fact in facts
            )
        return [await self.answer(fact.question, time=time, user=user) for fact in facts]

    async def answer_all_untold(self, facts: Iterable[Fact]) -> list[Answer]:
        """Return the answers of an instance that was told nothing, which may fail for that reason.

        An answer that failed is empty.
        """
        answers = []
        for fact in facts:
            try:
                answer = await self.answer(fact.question)
            except CallError:
                answer = Answer("")
            answers.append(answer)
        return answers

    async def recall(
        self, facts: Sequence[Fact], *, time: datetime | None = None, user: str | None = None
    ) -> list[Fact]:
        """Ask the questions for facts, as ``answer_all``, and return the facts that it knows."""
        return known_facts(await self.answer_all(facts, time=time, user=user), facts)

    async def stats(self) -> Stats:
        """Return the figures that the agent gives of what it holds; empty ones if that fails.

        No score depends on them.
        """
        try:
            return await super().stats()
        except CallError:
            return Stats()

    async def make(self) -> None:
        """Make the instance of the agent, before anything else is called."""
        await self._name_failure("making it", super().make())

    async def _call(self, name: str, *arguments: object, **options: Any) -> Any:
        """Call a method of the agent as any conversation does; a failure names the method."""
        return await self._name_failure(name, super()._call(name, *arguments, **options))

    async def _name_failure(self, name: str, call: Awaitable[ResultT]) -> ResultT:
        """Return the result of a call; if it fails, raise an error that names the call.

        Raises ``HangError`` if the call took too long, and ``CallError`` for other faults of the
        agent. Errors that are no fault of the agent remain as they are.
        """
        try:
            return await call
        except (ModelUnavailableError, ModelStoppedError):
            raise  # It is no fault of the agent, and no check can be carried out.
        except UsageError as error:
            if error.parameter == "model":
                raise  # Nor is this: the check was asked for wrongly.
            raise CallError(describe_in_a_line(error)) from error  # It says itself what failed.
        except Exception as error:
            if self.hung:
                raise HangError(
                    f"{name} hangs: no result within {self.answer_seconds:g} s; if it is only "
                    "slow, allow more with `timeout`"
                ) from error
            raise CallError(f"{name} failed: {describe_in_a_line(error)}") from error


async def run_together(work: Iterable[Coroutine[Any, Any, ResultT]]) -> list[ResultT]:
    """Run coroutines at the same time, and return their results in order.

    Raises the first failure in that order, once all have ended.
    """
    results = []
    for result in await asyncio.gather(*work, return_exceptions=True):
        if isinstance(result, BaseException):
            raise result
        results.append(result)
    return results


def _query_of(question: str) -> Query:
    """Return a question as a run would ask it."""
    of_no_row = Question(
        split="", row=0, question_index=0, source="", question=question, answers=()
    )
    return _PROMPTING.query(_FAMILY, of_no_row)
