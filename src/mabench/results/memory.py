"""What memories take and hold: seconds of adding and searching, and bytes kept of a history."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import TYPE_CHECKING, Any, NamedTuple, Self

from mabench.json_text import IfKnown, JsonRecord, Number
from mabench.results.records.measurements import MemoryRecord

if TYPE_CHECKING:
    from mabench.results.calls import CallsSummary
    from mabench.results.records.store import RunFolder
    from mabench.results.summaries import RowUsage

_THOUSAND = 1000
_PERCENTILES = (50, 95, 99)
_COUNTS = ("chunks", "tokens", "memories", "bytes", "chunks_without_memory")


def count_seconds(seconds: Iterable[float]) -> dict[float, int]:
    """Return how many times are so long, the shortest first, by their two significant digits.

    So thousands of times of a row take a line of some hundred numbers, each within 5 %.
    """
    counts = Counter(float(f"{each:.1e}") for each in seconds)
    return dict(sorted(counts.items()))


@dataclass(frozen=True, slots=True, kw_only=True)
class CallTimes(JsonRecord):
    """How long calls of one kind took, in seconds.

    Attributes:
        n: how many calls there were.
        seconds: how long they took together.
        p50, p95, p99: the time within which so many percent of the calls were done; it is that of
            one of them.
    """

    n: int
    seconds: Number
    p50: Number
    p95: Number
    p99: Number

    @classmethod
    def of(cls, counts: Mapping[float, int], seconds: float) -> Self | None:
        """Return the times of calls by how many took so long; None of no call."""
        times = sorted(counts)
        done = list(accumulate(counts[time] for time in times))
        if not done or done[-1] <= 0:  # Of what was written, and may be edited.
            return None

        def within(percent: int) -> float:
            pairs = zip(times, done, strict=True)
            return next(time for time, number in pairs if 100 * number >= percent * done[-1])

        p50, p95, p99 = map(within, _PERCENTILES)
        return cls(n=done[-1], seconds=round(seconds, 6), p50=p50, p95=p95, p99=p99)


@dataclass(frozen=True, slots=True, kw_only=True)
class MemorySummary(JsonRecord):
    """The memories of some rows; a number is null, or left out, unless it is known of every row.

    Times are those of rows that were memorized whole, and of calls that no kept reply answered.

    Attributes:
        rows: how many rows were memorized, those that failed counted.
        failed: how many of them failed.
        chunks: how many chunks the agent was given.
        tokens: their length, estimated.
        memories: how many memories are stored in the end.
        bytes: their size.
        chunks_without_memory: after how many chunks there were no more memories than before.
        dropped_share: how much of the history an answer did without, in the mean, from 0 to
            100; null where no agent says.
        add: how long it took to add a text; percentiles have two significant digits.
        add_per_1000_tokens: how long it took to add 1,000 tokens of history, in seconds.
        ready: how long after the last text of a row everything could be found.
        search: how long a search took, apart from reading.
        bytes_per_1000_tokens: how many bytes are kept of 1,000 tokens of history.
    """

    rows: int
    failed: int
    chunks: int | None
    tokens: int | None
    memories: int | None
    bytes: int | None
    chunks_without_memory: int | None
    dropped_share: float | None
    add: IfKnown[CallTimes | None] = None
    add_per_1000_tokens: IfKnown[Number | None] = None
    ready: IfKnown[CallTimes | None] = None
    search: IfKnown[CallTimes | None] = None
    bytes_per_1000_tokens: IfKnown[Number | None] = None

    def figures(self) -> dict[str, tuple[int | None, float]]:
        """Return what is known of times and size by name: of how many calls, and a value."""
        figures: dict[str, tuple[int | None, float]] = {}
        if self.add_per_1000_tokens is not None:
            figures["add seconds per 1,000 tokens"] = None, float(self.add_per_1000_tokens)
        for name, times in (("add", self.add), ("ready", self.ready), ("search", self.search)):
            for percent in _PERCENTILES if times else ():
                figures[f"{name} p{percent} seconds"] = times.n, float(times[f"p{percent}"])
        if self.bytes_per_1000_tokens is not None:
            figures["bytes per 1,000 tokens"] = None, float(self.bytes_per_1000_tokens)
        return figures


class RowMemory(NamedTuple):
    """The memory of a row."""

    record: MemoryRecord
    usage: RowUsage | None  # What its answers took; None where none was asked.
    searches: Sequence[float] | None  # Their seconds; None where they cannot be told.


def row_memories(
    folder: RunFolder, usage: Iterable[RowUsage], calls: CallsSummary | None
) -> list[RowMemory]:
    """Return the memory of each row, without the times of what kept replies made faster."""
    searches: dict[tuple[str, int], list[float]] = defaultdict(list)
    for timing in folder.timings():
        if timing.search_seconds is not None:
            searches[timing.split, timing.row].append(float(timing.search_seconds))
    kept = set()
    if calls and calls.by_memory.kept:
        by_memory = (call for call in folder.calls() if call.kept and call.by == "memory")
        kept = {(call.phase, call.place) for call in by_memory}
    used = {row.place: row for row in usage}
    memories = []
    for place, record in folder.memories().items():
        if ("memorizing", place) in kept:
            record = replace(record, adds=None, add_seconds=None, ready_seconds=None)
        own = None if ("answering", place) in kept else searches[place]
        memories.append(RowMemory(record, used.get(place), own))
    return memories


def memory_summary(rows: Sequence[RowMemory]) -> MemorySummary | None:
    """Add up the memories of rows; None of no row."""
    if not rows:
        return None
    dropped = weight = 0
    for record, usage, _ in rows:
        if usage and record.tokens and usage.dropped_tokens is not None:
            dropped += usage.dropped_tokens
            weight += record.tokens * (usage.n - usage.errors)
    records = [row.record for row in rows]
    whole = [record for record in records if record.error is None]
    ready, tokens = _each(whole, "ready_seconds"), sum(_each(whole, "tokens"))
    size, counts = _each(whole, "bytes"), Counter[float]()
    for adds in _each(whole, "adds"):
        counts.update(adds)
    add = CallTimes.of(counts, sum(_each(whole, "add_seconds")))
    known = all(row.searches is not None for row in rows)
    searches = [each for row in rows for each in row.searches or ()] if known else []
    return MemorySummary(
        rows=len(records),
        failed=len(records) - len(whole),
        **{name: sum(each) if (each := _each(records, name)) else None for name in _COUNTS},
        dropped_share=min(100.0, 100 * dropped / weight) if weight else None,
        add=add,
        add_per_1000_tokens=_THOUSAND * add.seconds / tokens if add and tokens else None,
        ready=CallTimes.of(Counter(ready), sum(ready)),
        search=CallTimes.of(Counter(searches), sum(searches)),
        bytes_per_1000_tokens=_THOUSAND * sum(size) / tokens if size and tokens else None,
    )


def _each(records: Sequence[MemoryRecord], name: str) -> list[Any]:
    """Return a figure of each record; nothing unless it is known of every one."""
    values = [getattr(record, name) for record in records]
    return [] if None in values else values
