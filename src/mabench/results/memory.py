"""What memories take and hold: seconds of adding and searching, and bytes kept of a history."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import accumulate
from typing import Any, NamedTuple

from mabench.results.calls import PERCENTILES, CallsSummary, CallTimes, MemorySummary
from mabench.results.records.lines import MemoryRecord, Place, Timing
from mabench.results.records.store import RunFolder
from mabench.results.summaries import RowUsage

_THOUSAND = 1000
_COUNTS = ("chunks", "tokens", "memories", "bytes", "chunks_without_memory")


def count_seconds(seconds: Iterable[float]) -> dict[float, int]:
    """Return how many times are so long, the shortest first, by their two significant digits.

    So thousands of times of a row take a line of some hundred numbers, each within 5 %.
    """
    counts = Counter(float(f"{each:.1e}") for each in seconds)
    return dict(sorted(counts.items()))


class RowMemory(NamedTuple):
    """The memory of a row."""

    record: MemoryRecord
    usage: RowUsage | None  # What its answers took; None where none was asked.
    searches: Sequence[float] | None  # Their seconds; None where they cannot be told.

    @classmethod
    def of_rows(
        cls,
        folder: RunFolder,
        records: Mapping[Place, MemoryRecord],
        timings: Iterable[Timing],
        usage: Mapping[Place, RowUsage],
        calls: CallsSummary | None,
    ) -> list[RowMemory]:
        """Return the memory of each row, without the times of what kept replies made faster."""
        searches: dict[Place, list[float]] = defaultdict(list)
        for timing in timings:
            if timing.search_seconds is not None:
                searches[timing.split, timing.row].append(float(timing.search_seconds))
        kept = set()
        if calls and calls.by_memory.kept:
            by_memory = (call for call in folder.calls() if call.kept and call.by == "memory")
            kept = {(call.phase, call.place) for call in by_memory}
        memories = []
        for place, record in records.items():
            if ("memorizing", place) in kept:
                record = replace(record, adds=None, add_seconds=None, ready_seconds=None)
            own = None if ("answering", place) in kept else searches[place]
            memories.append(cls(record, usage.get(place), own))
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
    add = _times(counts, sum(_each(whole, "add_seconds")))
    known = all(row.searches is not None for row in rows)
    searches = [each for row in rows for each in row.searches or ()] if known else []
    return MemorySummary(
        rows=len(records),
        failed=len(records) - len(whole),
        **{name: sum(each) if (each := _each(records, name)) else None for name in _COUNTS},
        dropped_share=min(100.0, 100 * dropped / weight) if weight else None,
        add=add,
        add_per_1000_tokens=_THOUSAND * add.seconds / tokens if add and tokens else None,
        ready=_times(Counter(ready), sum(ready)),
        search=_times(Counter(searches), sum(searches)),
        bytes_per_1000_tokens=_THOUSAND * sum(size) / tokens if size and tokens else None,
    )


def _each(records: Sequence[MemoryRecord], name: str) -> list[Any]:
    """Return a figure of each record; nothing unless it is known of every one."""
    values = [getattr(record, name) for record in records]
    return [] if None in values else values


def _times(counts: Mapping[float, int], seconds: float) -> CallTimes | None:
    """Return the times of calls by how many took so long; None of no call."""
    times = sorted(counts)
    done = list(accumulate(counts[time] for time in times))
    if not done or done[-1] <= 0:  # Of what was written, and may be edited.
        return None

    def within(percent: int) -> float:
        pairs = zip(times, done, strict=True)
        return next(time for time, number in pairs if 100 * number >= percent * done[-1])

    p50, p95, p99 = map(within, PERCENTILES)
    return CallTimes(n=done[-1], seconds=round(seconds, 6), p50=p50, p95=p95, p99=p99)
