"""How fast a memory is while several clients use it, and what its store comes to as it grows.

A closed loop: each client makes its next call when the last one has returned. The first calls are
left out. A memory that does nothing, called in the same way, shows the harness's own share.
"""

from __future__ import annotations

import asyncio
import math
import time
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress

from mabench.runs.conversation import Conversation
from mabench.runs.opening import open_agent
from mabench.specs import AgentSpec, RunSpec
from mabench.stress_tests.files import bytes_in
from mabench.stress_tests.operations import USERS
from mabench.stress_tests.report import Latency, Size
from mabench.stress_tests.subject import Subject
from mabench.text.tokens import count_tokens

_CALLS, _PER_CLIENT = 200, 10  # At a number of clients: so many at least.
_WARM_UP = 0.1  # Of the calls.
_SIZES = (1_000, 10_000)  # Texts.
_SEARCHES = 20  # Of which the median counts at a size.
_K = 10
_SUBJECTS = 300  # Of what is told under load, with a number each time.
_GROWERS = 8  # Clients that add while it grows.
_Call = Callable[[int], Awaitable[object]]


class _Nothing:
    """A memory that does nothing."""

    def add(self, text: str) -> None:
        pass

    def search(self, query: str, k: int) -> list[str]:
        return []


def measure_load(
    subject: Subject, clients: Sequence[int], seconds: float
) -> tuple[list[Latency], list[Size]]:
    """Return how long adds and searches take at each number of clients, and the sizes of a store.

    What there is no time for is left out.
    """
    end = time.monotonic() + seconds

    async def measure() -> tuple[list[Latency], list[Size]]:
        async with subject.talking(max(*clients, _GROWERS)) as talk:
            load = _Load(subject, talk, end)
            latencies = await load.measure_calls(clients)
            return latencies, await load.grow()

    return subject.run(measure())


def measure_harness(subject: Subject, clients: Sequence[int]) -> list[Latency]:
    """Return how long calls of a memory that does nothing take."""
    factory, _ = open_agent(RunSpec(agent=AgentSpec(agent=_Nothing)))

    async def measure() -> list[Latency]:
        talk = Conversation(factory, threads=max(clients))
        await talk.make()
        try:
            return await _Load(subject, talk, math.inf).measure_calls(clients)
        finally:
            await talk.close()

    return subject.run(measure())


class _Load:
    """Adds to a memory and searches it, up to a moment."""

    def __init__(self, subject: Subject, talk: Conversation, end: float) -> None:
        self._subject, self._talk, self._facts, self._end = subject, talk, subject.facts, end
        self._texts = 0  # That were added.
        self._facts.subject(_SUBJECTS)  # Invented beforehand.

    async def measure_calls(self, clients: Sequence[int]) -> list[Latency]:
        latencies: list[Latency] = []
        for count in clients:
            calls = max(_CALLS, _PER_CLIENT * count)
            first, self._texts = self._texts, self._texts + calls
            for name, call, start in (("add", self._add, first), ("search", self._search, 0)):
                took, whole = await self._drive(call, range(start, start + calls), count)
                if len(took) < calls:
                    return latencies
                warm = [1000 * each for each in took[int(calls * _WARM_UP) :]]
                rate = round(len(warm) / whole, 1)
                latencies.append(Latency(name, count, len(warm), *percentiles(warm), rate))
        return latencies

    async def grow(self) -> list[Size]:
        """Return what the store comes to with so many texts, as far as there is time."""
        sizes: list[Size] = []
        tokens = sum(count_tokens(self._text(number)) for number in range(_SUBJECTS)) / _SUBJECTS
        for size in _SIZES:
            missing = range(self._texts, size)
            took, _ = await self._drive(self._add, missing, _GROWERS)
            self._texts += len(missing)
            stored = None
            with suppress(Exception):  # As below.
                await self._talk.ready()
                stored = bytes_in(self._talk.folder) if self._talk.folder else None
                stored = stored or (await self._talk.stats()).bytes
            searched, _ = await self._drive(self._search, range(_SEARCHES), 1)
            if len(took) < len(missing) or len(searched) < _SEARCHES:
                break
            share = round(1000 * stored / tokens / self._texts, 1) if stored else None
            median, *_ = percentiles([1000 * each for each in searched])
            sizes.append(Size(self._texts, stored, share, median))
        return sizes

    async def _drive(self, call: _Call, numbers: range, clients: int) -> tuple[list[float], float]:
        """Return the seconds of each call, in the order in which they ended, and of all together.

        Those of the warm-up stand first.
        """
        waiting = iter(numbers)
        took: list[float] = []
        begun = time.perf_counter()

        async def work() -> None:
            nonlocal begun
            for number in waiting:
                if self._subject.is_over(self._end) or self._talk.hung:
                    return
                start = time.perf_counter()
                await call(number)
                took.append(time.perf_counter() - start)
                if len(took) == int(len(numbers) * _WARM_UP):
                    begun = time.perf_counter()

        with suppress(Exception):  # What fails under load is looked into by histories.
            await asyncio.gather(*(work() for _ in range(clients)))
        return took, time.perf_counter() - begun

    async def _add(self, number: int) -> None:
        await self._talk.tell(self._text(number), {"user": USERS[0]})

    async def _search(self, number: int) -> None:
        query = self._facts.query(number % _SUBJECTS)
        await self._talk.search(query, _K, {"user": USERS[0]})

    def _text(self, number: int) -> str:
        return f"{self._facts.text(number % _SUBJECTS)} This is entry {number}."


def percentiles(values: Sequence[float]) -> tuple[float, float, float, float]:
    """Return the 50th, 95th and 99th percentile, each a value that occurred, and the maximum."""
    ordered = sorted(values)
    ranks = (-(-len(ordered) * share // 100) - 1 for share in (50, 95, 99))
    p50, p95, p99 = (round(ordered[rank], 4) for rank in ranks)
    return p50, p95, p99, round(ordered[-1], 4)
