"""An instance of the agent in another process, told and asked through a pipe."""

from __future__ import annotations

import asyncio
import contextlib
import multiprocessing
import sys
import time
from collections.abc import Sequence
from multiprocessing.connection import Connection
from types import TracebackType
from typing import Any, Literal, Self

from mabench.check.facts import Fact
from mabench.check.instances import CallError, CheckedAgent, HangError
from mabench.contract import Answer
from mabench.runs.engine.failure import error_line
from mabench.runs.spec import AgentSpec

_Request = tuple[Literal["tell", "ask"], list[Fact]]
# Seconds beside its calls that a process may take: starting Python and importing much.
_GRACE = 60
_WAIT = 0.5


class Neighbour:
    """A process of its own that holds one fresh instance of the agent."""

    def __init__(self, spec: AgentSpec, timeout: float) -> None:
        self._timeout = timeout
        context = multiprocessing.get_context("spawn")
        self._pipe, there = context.Pipe()
        # No daemon, which could not start processes of its own, as some memories do.
        self._process = context.Process(target=_serve, args=(spec, timeout, there))
        self._there = there

    async def __aenter__(self) -> Self:
        """Start the process and make the instance."""
        self._process.start()
        self._there.close()  # So that its end is noticed when the process dies.
        try:
            await self._reply(1)
        except BaseException:
            await self._end()
            raise
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Let the process end, and end it when it does not."""
        await self._end()

    async def _end(self) -> None:
        self._pipe.close()
        await asyncio.to_thread(self._process.join, min(self._timeout, 10))
        if self._process.is_alive():
            self._process.kill()
            await asyncio.to_thread(self._process.join)

    async def tell(self, facts: Sequence[Fact]) -> None:
        """Tell facts, one at a time.

        Raises:
            CallError: when the agent fails there, or the process ends.
            HangError: when it takes too long.
        """
        await self._ask("tell", facts)

    async def ask_all(self, facts: Sequence[Fact]) -> list[Answer]:
        """Return the answers to the questions for facts; errors as for ``tell``."""
        answers: list[Answer] = await self._ask("ask", facts)
        return answers

    async def _ask(self, verb: Literal["tell", "ask"], facts: Sequence[Fact]) -> Any:
        with contextlib.suppress(OSError):  # A process that has ended is told of below.
            self._pipe.send((verb, list(facts)))
        return await self._reply(len(facts))

    async def _reply(self, calls: int) -> Any:
        limit = calls * self._timeout + _GRACE
        end = time.monotonic() + limit
        try:
            # In short waits: a thread that waits long holds up whoever interrupts.
            while not await asyncio.to_thread(self._pipe.poll, _WAIT):
                if time.monotonic() > end:
                    self._process.kill()
                    raise HangError(f"in a second process: no result within {limit:g} s")
            failure, result = self._pipe.recv()
        except (EOFError, OSError) as error:
            raise CallError("a second process ended before it answered") from error
        if failure:
            raise CallError(f"in a second process, {failure}")
        return result


def _serve(spec: AgentSpec, timeout: float, pipe: Connection) -> None:
    """Serve one instance until the pipe is closed; what the agent prints is no result."""
    sys.stdout = sys.stderr
    asyncio.run(_serve_instance(spec, timeout, pipe))


async def _serve_instance(spec: AgentSpec, timeout: float, pipe: Connection) -> None:
    try:
        async with CheckedAgent(spec, timeout).fresh() as instance:
            pipe.send((None, None))
            while request := await asyncio.to_thread(_next, pipe):
                verb, facts = request
                done = instance.tell(facts) if verb == "tell" else instance.ask_all(facts)
                pipe.send((None, await done))
    except Exception as error:
        with contextlib.suppress(OSError):
            pipe.send((error_line(error), None))


def _next(pipe: Connection) -> _Request | None:
    try:
        request: _Request = pipe.recv()
    except (EOFError, OSError):
        return None
    return request
