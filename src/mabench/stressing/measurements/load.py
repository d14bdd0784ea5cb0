"""How fast a memory is while clients use it in closed loops, and how large its store becomes.

The first calls are left out. A memory that does nothing shows the harness's own share. What fails
under load is no finding: histories look into it.
"""

from __future__ import annotations

import asyncio
import math
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from typing import NamedTuple

from mabench.bench.clock import TimeBudget
from mabench.runs.conversation import Conversation
from mabench.runs.opening import open_agent
from mabench.specs import AgentSpec, RunSpec
from mabench.stressing.files import bytes_in
from mabench.stressing.measurements.percentiles import percentiles
from mabench.stressing.operations import USERS
from mabench.stressing.report import Latency, Size
from mabench.stressing.stressed import StressedMemory
from mabench.text.tokens import count_tokens

_LEAST_CALLS, _CALLS_PER_CLIENT = 200, 10  # At each number of clients.
_WARM_UP_SHARE = 0.1  # Of the calls, which are left out.
_SIZES = (1_000, 10_000)  # Numbers of texts at which a store is measured.
_SEARCHES = 20  # Whose median is taken at each of them.
_DEPTH = 10  # Results that a search is asked for.
_FACTS = 300  # That texts are about; each text has a number beside its fact.
_ADDING_CLIENTS = 8  # That add texts until there are as many as a size.
_FIELDS = {"user": USERS[0]}


class _Nothing:
    """A memory that does nothing."""

    def add(self, text: str) -> None:
        pass

    def search(self, query: str, k: int) -> list[str]:
        return []


class _Calls(NamedTuple):
    """Calls that were made, in the order in which they ended."""

    seconds: list[float]  # That each took.
    warm_seconds: float  # From the end of the warm-up to the last call.


def measure_load(
    memory: StressedMemory, clients: Sequence[int], seconds: float
) -> tuple[list[Latency], list[Size], list[Latency]]:
    """Return how long calls take at each number of clients, and the sizes of a store.

    Last come the latencies of a memory that does nothing. What there is no time for is left out.
    """
    load = _Load(memory, memory.clock.budget(seconds))
    latencies, sizes = memory.subject.run(load.measure(clients, _SIZES))
    if not latencies:
        return latencies, sizes, []
    factory, _ = open_agent(RunSpec(agent=AgentSpec(agent=_Nothing)))
    nothing = replace(memory, subject=replace(memory.subject, factory=factory, model_address=None))
    load_of_nothing = _Load(nothing, memory.clock.budget(math.inf))
    measured = sorted({each.clients for each in latencies})
    of_nothing, _ = nothing.subject.run(load_of_nothing.measure(measured, ()))
    return latencies, sizes, of_nothing


class _Load:
    """Adds to an instance and searches it, until a budget is over."""

    def __init__(self, memory: StressedMemory, budget: TimeBudget) -> None:
        self._memory, self._facts, self._budget = memory, memory.facts, budget
        self._instance: Conversation
        self._texts = 0  # That were added.
        # All facts are invented before times are taken; and counting tokens, which may load a
        # tokenizer, must not block the event loop.
        counts = [count_tokens(self._text(number)) for number in range(_FACTS)]
        self._tokens_per_text = sum(counts) / _FACTS

    async def measure(
        self, clients: Sequence[int], sizes: Sequence[int]
    ) -> tuple[list[Latency], list[Size]]:
        """Return latencies for each number of clients, and the store at each number of texts."""
        most_clients = max(*clients, _ADDING_CLIENTS)
        async with self._memory.subject.fresh(clients=most_clients) as self._instance:
            return await self._measure_calls(clients), await self._measure_sizes(sizes)

    async def _measure_calls(self, clients: Sequence[int]) -> list[Latency]:
        """Return how long calls take with each number of clients that there is time for."""
        latencies: list[Latency] = []
        for count in clients:
            number = max(_LEAST_CALLS, _CALLS_PER_CLIENT * count)
            first_new = self._texts
            self._texts += number
            for name, start in (("add", first_new), ("search", 0)):
                calls = await self._call(name, range(start, start + number), count)
                if len(calls.seconds) < number:
                    return latencies
                warm_up = int(number * _WARM_UP_SHARE)
                milliseconds = [1000 * seconds for seconds in calls.seconds[warm_up:]]
                calls_measured = len(milliseconds)
                rate = round(calls_measured / calls.warm_seconds, 1)
                latencies.append(
                    Latency(name, count, calls_measured, *percentiles(milliseconds), rate)
                )
        return latencies

    async def _measure_sizes(self, sizes: Sequence[int]) -> list[Size]:
        """Return the size of the store at each number of texts, as far as there is time."""
        measured: list[Size] = []
        for size in sizes:
            missing = range(self._texts, size)
            added = await self._call("add", missing, _ADDING_CLIENTS)
            self._texts += len(missing)
            stored = await self._stored_bytes()
            searched = await self._call("search", range(_SEARCHES), 1)
            if len(added.seconds) < len(missing) or len(searched.seconds) < _SEARCHES:
                break
            tokens = self._tokens_per_text * self._texts
            per_1000_tokens = round(1000 * stored / tokens, 1) if stored else None
            median, *_ = percentiles([1000 * each for each in searched.seconds])
            measured.append(Size(self._texts, stored, per_1000_tokens, median))
        return measured

    async def _stored_bytes(self) -> int | None:
        """Return the bytes of its files, or else what ``stats()`` says; None if unknown."""
        with suppress(Exception):
            await self._instance.ready()
            if self._instance.folder and (stored := bytes_in(self._instance.folder)):
                return stored
            return (await self._instance.stats()).bytes
        return None

    async def _call(self, name: str, numbers: range, clients: int) -> _Calls:
        """Add the texts of some numbers, or search for their facts, by clients at a time."""
        waiting = iter(numbers)
        seconds: list[float] = []
        warm_start = time.perf_counter()

        async def run_client() -> None:
            nonlocal warm_start
            for number in waiting:
                if self._budget.is_over() or self._instance.hung:
                    return
                query = self._facts.query(number % _FACTS)
                start = time.perf_counter()
                if name == "search":
                    await self._instance.search(query, _DEPTH, _FIELDS)
                else:
                    await self._instance.tell(self._text(number), _FIELDS)
                seconds.append(time.perf_counter() - start)
                if len(seconds) == int(len(numbers) * _WARM_UP_SHARE):
                    warm_start = time.perf_counter()

        with suppress(Exception):
            await asyncio.gather(*(run_client() for _ in range(clients)))
        return _Calls(seconds, time.perf_counter() - warm_start)

    def _text(self, number: int) -> str:
        """Return the text of a number, which no other number has."""
        return f"{self._facts.text(number % _FACTS)} This is entry {number}."
