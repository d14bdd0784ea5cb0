"""How fast a memory is while several clients use it, and what its store comes to as it grows.

A closed loop: each client makes its next call when the last one has returned. The first calls are
left out. A memory that does nothing, called in the same way, shows the harness's own share.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from pathlib import Path

from mabench.runs.conversation import Conversation
from mabench.runs.opening import open_agent
from mabench.specs import AgentSpec, RunSpec
from mabench.stress_tests.files import bytes_in
from mabench.stress_tests.operations import USERS
from mabench.stress_tests.report import Latency, Size
from mabench.stress_tests.subject import Subject
from mabench.tasks.loops import run_to_end
from mabench.text.tokens import count_tokens

_CALLS, _PER_CLIENT = 200, 10  # At a number of clients: so many at least.
_WARM_UP = 0.1  # Of the calls.
_SIZES = (1_000, 10_000)  # Texts.
_SEARCHES = 20  # Of which the median counts at a size.
_K = 10
_SUBJECTS = 300  # Of what is told under load, with a number each time.
_GROWERS = 8  # Clients that add while it grows.
_Call = Callable[[Conversation, int], Awaitable[object]]


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
        folder = subject.folder_of_its_own() if subject.factory.takes_folder else None
        async with talking(subject.converse(folder, max(*clients, _GROWERS))) as talk:
            latencies, told = await _levels(subject, talk, clients, end)
            return latencies, await _grow(subject, talk, folder, told, end)

    return run_to_end(measure())


def measure_harness(subject: Subject, clients: Sequence[int]) -> list[Latency]:
    """Return how long calls of a memory that does nothing take."""
    factory, _ = open_agent(RunSpec(agent=AgentSpec(agent=_Nothing)))

    async def measure() -> list[Latency]:
        async with talking(Conversation(factory, threads=max(clients))) as talk:
            return (await _levels(subject, talk, clients, float("inf")))[0]

    return run_to_end(measure())


@asynccontextmanager
async def talking(talk: Conversation) -> AsyncIterator[Conversation]:
    """Make what is talked with, and close it, unless it hangs."""
    await talk.make()
    try:
        yield talk
    finally:
        if talk.hung:
            talk.abandon()
        else:
            with suppress(Exception):
                await talk.close()


async def _levels(
    subject: Subject, talk: Conversation, clients: Sequence[int], end: float
) -> tuple[list[Latency], int]:
    latencies: list[Latency] = []
    told = 0

    async def add(talk: Conversation, number: int) -> None:
        await talk.tell(_text(subject, number), {"user": USERS[0]})

    async def search(talk: Conversation, number: int) -> None:
        await talk.search(subject.facts.query(number % _SUBJECTS), _K, {"user": USERS[0]})

    subject.facts.subject(_SUBJECTS)  # Invented beforehand.
    for count in clients:
        calls = max(_CALLS, _PER_CLIENT * count)
        for name, call in (("add", add), ("search", search)):
            first = told if name == "add" else 0
            took, whole = await _drive(talk, call, range(first, first + calls), count, end)
            if name == "add":
                told += calls
            if len(took) < calls:
                return latencies, told
            latencies.append(_latency(name, count, took, whole))
    return latencies, told


def _text(subject: Subject, number: int) -> str:
    return f"{subject.facts.text_of(number % _SUBJECTS, 0)} This is entry {number}."


async def _drive(
    talk: Conversation, call: _Call, numbers: range, clients: int, end: float
) -> tuple[list[float], float]:
    """Return the seconds of each call, in the order in which they ended, and of all together.

    Those of the warm-up stand first.
    """
    waiting = iter(numbers)
    took: list[float] = []
    begun = time.perf_counter()

    async def work() -> None:
        nonlocal begun
        for number in waiting:
            if time.monotonic() > end or talk.hung:
                return
            start = time.perf_counter()
            await call(talk, number)
            took.append(time.perf_counter() - start)
            if len(took) == int(len(numbers) * _WARM_UP):
                begun = time.perf_counter()

    with suppress(Exception):  # What fails under load is looked into by histories.
        await asyncio.gather(*(work() for _ in range(clients)))
    return took, time.perf_counter() - begun


def _latency(name: str, clients: int, took: Sequence[float], whole: float) -> Latency:
    warm = [1000 * each for each in took[int(len(took) * _WARM_UP) :]]
    p50, p95, p99, most = percentiles(warm)
    return Latency(name, clients, len(warm), p50, p95, p99, most, round(len(warm) / whole, 1))


def percentiles(values: Sequence[float]) -> tuple[float, float, float, float]:
    """Return the 50th, 95th and 99th percentile, each a value that occurred, and the maximum."""
    ordered = sorted(values)
    ranks = (-(-len(ordered) * share // 100) - 1 for share in (50, 95, 99))
    p50, p95, p99 = (round(ordered[rank], 4) for rank in ranks)
    return p50, p95, p99, round(ordered[-1], 4)


async def _grow(
    subject: Subject, talk: Conversation, folder: Path | None, told: int, end: float
) -> list[Size]:
    sizes: list[Size] = []

    async def add(talk: Conversation, number: int) -> None:
        await talk.tell(_text(subject, number), {"user": USERS[0]})

    async def search(talk: Conversation, number: int) -> None:
        await talk.search(subject.facts.query(number), _K, {"user": USERS[0]})

    for size in _SIZES:
        if told < size:
            took, _ = await _drive(talk, add, range(told, size), _GROWERS, end)
            if len(took) < size - told:
                break
            told = size
        with suppress(Exception):
            await talk.ready()
        took, _ = await _drive(talk, search, range(_SEARCHES), 1, end)
        if len(took) < _SEARCHES:
            break
        stored = bytes_in(folder) if folder else (await talk.stats()).bytes
        stored = stored or (await talk.stats()).bytes
        tokens = sum(count_tokens(_text(subject, number)) for number in range(_SUBJECTS))
        share = round(1000 * stored * _SUBJECTS / tokens / told, 1) if stored else None
        sizes.append(Size(told, stored, share, percentiles([1000 * each for each in took])[0]))
    return sizes
