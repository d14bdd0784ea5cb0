"""How fast a memory is while clients use it in closed loops, and what it keeps as it grows.

The first calls are left out. A memory that does nothing shows the harness's own share.
"""

from __future__ import annotations

import asyncio
import math
import os
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

from mabench.runs.opening import open_agent
from mabench.specs import AgentSpec, RunSpec
from mabench.stressing.operations import USERS, Operation, spell_out
from mabench.stressing.outside import bytes_in
from mabench.stressing.report import Latency, Severity, Size, StressFinding, percentiles
from mabench.stressing.subject import Subject
from mabench.text.tokens import count_tokens

_CALLS, _PER_CLIENT = 200, 10  # At a number of clients: so many at least.
_WARM_UP = 0.1  # Of the calls.
_SIZES = (1_000, 10_000)  # Texts.
_SEARCHES = 20  # Of which the median counts at a size.
_K = 10
_SUBJECTS = 300  # Of what is told under load, with a number each time.
_GROWERS = 8  # Clients that add while it grows.
_HELD = 10  # Texts, while it is seen whether it grows without end.
_ROUNDS, _TURNS = 4, 25  # In the first round stores and caches settle.
_LONG = 24_000  # Characters of a text or a query.
_SHARE = 0.5  # Of what goes in, that is kept in each round.
_PROSE = "and the keeper of the harbour wrote down what the ships had brought " * (_LONG // 68)
_GIVEN = {"user": USERS[0]}
_TRACE = 16  # Bytes that a search leaves behind each time.
_FILES = "its files (bytes)"
_SAID_TEXTS = "what stats() says (texts)"
_PROCESS = "the memory of its process (bytes)"


class _Nothing:
    def add(self, text: str) -> None:
        pass

    def search(self, query: str, k: int) -> list[str]:
        return []


def measure_load(
    subject: Subject, clients: Sequence[int], seconds: float
) -> tuple[list[Latency], list[Size], list[Latency]]:
    """Return how long adds and searches take at each number of clients, and the sizes of a store.

    What there is no time for is left out. Last stand the calls of a memory that does nothing.
    """
    end = time.monotonic() + seconds
    latencies, sizes = subject.run(_Load(subject, end).measure(clients, _SIZES))
    if not latencies:
        return latencies, sizes, []
    factory, _ = open_agent(RunSpec(agent=AgentSpec(agent=_Nothing)))
    nothing = replace(subject, factory=factory, model_faults=None)
    measured = sorted({each.clients for each in latencies})
    return latencies, sizes, nothing.run(_Load(nothing, math.inf).measure(measured, ()))[0]


class _Load:
    """Adds to a memory and searches it, up to a moment."""

    def __init__(self, subject: Subject, end: float) -> None:
        self._subject, self._facts, self._end = subject, subject.facts, end
        self._texts = 0  # That were added.
        self._facts.subject(_SUBJECTS)  # Invented beforehand.

    async def measure(
        self, clients: Sequence[int], sizes: Sequence[int]
    ) -> tuple[list[Latency], list[Size]]:
        async with self._subject.talking(max(*clients, _GROWERS)) as self._talk:
            return await self._measure_calls(clients), await self._grow(sizes)

    async def _measure_calls(self, clients: Sequence[int]) -> list[Latency]:
        latencies: list[Latency] = []
        for count in clients:
            calls = max(_CALLS, _PER_CLIENT * count)
            first, self._texts = self._texts, self._texts + calls
            for name, start in (("add", first), ("search", 0)):
                took, whole = await self._drive(name, range(start, start + calls), count)
                if len(took) < calls:
                    return latencies
                warm = [1000 * each for each in took[int(calls * _WARM_UP) :]]
                rate = round(len(warm) / whole, 1)
                latencies.append(Latency(name, count, len(warm), *percentiles(warm), rate))
        return latencies

    async def _grow(self, sizes: Sequence[int]) -> list[Size]:
        """Return what the store comes to with so many texts, as far as there is time."""
        grown: list[Size] = []
        tokens = sum(count_tokens(self._text(number)) for number in range(_SUBJECTS)) / _SUBJECTS
        for size in sizes:
            missing, stored = range(self._texts, size), None
            took, _ = await self._drive("add", missing, _GROWERS)
            self._texts += len(missing)
            with suppress(Exception):  # As below.
                await self._talk.ready()
                stored = bytes_in(self._talk.folder) if self._talk.folder else None
                stored = stored or (await self._talk.stats()).bytes
            searched, _ = await self._drive("search", range(_SEARCHES), 1)
            if len(took) < len(missing) or len(searched) < _SEARCHES:
                break
            share = round(1000 * stored / tokens / self._texts, 1) if stored else None
            median, *_ = percentiles([1000 * each for each in searched])
            grown.append(Size(self._texts, stored, share, median))
        return grown

    async def _drive(self, name: str, numbers: range, clients: int) -> tuple[list[float], float]:
        """Return the seconds of each call, as they ended, the warm-up first, and of the others."""
        waiting = iter(numbers)
        took: list[float] = []
        begun = time.perf_counter()

        async def work() -> None:
            nonlocal begun
            for number in waiting:
                if self._subject.is_over(self._end) or self._talk.hung:
                    return
                start, query = time.perf_counter(), self._facts.query(number % _SUBJECTS)
                if name == "search":
                    await self._talk.search(query, _K, _GIVEN)
                else:
                    await self._talk.tell(self._text(number), _GIVEN)
                took.append(time.perf_counter() - start)
                if len(took) == int(len(numbers) * _WARM_UP):
                    begun = time.perf_counter()

        with suppress(Exception):  # What fails under load is looked into by histories.
            await asyncio.gather(*(work() for _ in range(clients)))
        return took, time.perf_counter() - begun

    def _text(self, number: int) -> str:
        return f"{self._facts.text(number % _SUBJECTS)} This is entry {number}."


def find_growth(subject: Subject, seconds: float) -> Iterator[StressFinding]:
    """Search, then rewrite, over and over; yield what grew with each round, if anything did.

    What grew in its process, or by little in files while it was searched, is a note; else a fault.
    """
    end = time.monotonic() + seconds
    able, elsewhere = subject.abilities, subject.killable is not None
    # Who searches as of a time has to keep what was updated.
    kinds = able.kinds - ({"update"} if "search" in able.timed else set())
    for kind in ("delete", "search", "update"):
        if kind not in kinds or subject.is_over(end):
            continue
        sizes: dict[str, list[float]] = {}
        with suppress(Exception):  # What fails is looked into by histories.
            sizes = subject.run(_churn(subject, kind, end, elsewhere))
        for what, of in sizes.items():
            least = _SHARE * _TURNS * (1 if what == _SAID_TEXTS else _LONG)
            growth = min(after - before for before, after in pairwise(of))
            leaves_traces = kind == "search" and what == _FILES and growth >= _TRACE * _TURNS
            if growth < least and not leaves_traces:
                continue
            message = (
                f"{what} grew from {of[0]:,.0f} to {of[-1]:,.0f} over {(_ROUNDS - 1) * _TURNS} "
                f"times {kind}, though what it holds stayed the same"
            )
            user, version = USERS[0] if able.by_user else None, None if kind == "search" else 1
            added = Operation(op="add", step=1, fact=0, version=0, count=_HELD, user=user)
            times = _ROUNDS * _TURNS
            done = Operation(op=kind, step=2, fact=0, version=version, count=times, user=user)
            severity: Severity = "note" if what == _PROCESS or growth < least else "fault"
            told = spell_out([added, done], subject.facts)
            yield StressFinding("grows", severity, message, told, elsewhere)
            if severity == "fault":
                return


async def _churn(
    subject: Subject, kind: str, end: float, elsewhere: bool
) -> dict[str, list[float]]:
    """Fill a memory, and search it, update its texts, or delete and add them, round by round.

    Returns each size after each round, the memory of its process last; none where there is no time.
    """
    facts, sizes = subject.facts, dict[str, list[float]]()
    ids: list[list[object]] = []
    async with subject.talking(elsewhere=elsewhere) as talk:
        for number in range(-_HELD, _ROUNDS * _TURNS):
            if subject.is_over(end):
                return {}
            place = number % _HELD
            text = f"{facts.text(place, 1 + number // _HELD % 6)} {number} {_PROSE}"
            if number < 0:
                ids.append(await talk.tell(text, _GIVEN))
            elif kind == "search":
                await talk.search(f"{number} {facts.query(place)} {_PROSE}", 5, _GIVEN)
            elif kind == "update":
                await talk.update(ids[place][0], text, _GIVEN)
            else:
                for name in ids[place]:
                    await talk.delete(id=name)
                ids[place] = await talk.tell(text, _GIVEN)
            if number >= 0 and number % _TURNS == _TURNS - 1:
                stats, resident = await talk.stats(), 0
                with suppress(OSError, ValueError, IndexError):  # Where the system tells.
                    for process in subject.processes(talk):
                        pages = Path(f"/proc/{process}/statm").read_text("ascii").split()[1]
                        resident += int(pages) * os.sysconf("SC_PAGE_SIZE")
                for name, size in (
                    (_FILES, bytes_in(talk.folder) if talk.folder else 0),
                    ("what stats() says (bytes)", stats.bytes),
                    (_SAID_TEXTS, stats.memories),
                    (_PROCESS, resident),
                ):
                    sizes.setdefault(name, []).append(float(size or 0))
    return sizes
