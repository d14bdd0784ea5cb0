"""What memories take and hold: seconds, and bytes of a history."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, chain
from math import ceil, floor, isnan
from typing import Any, NamedTuple, Self

from mabench.json_text import IfKnown, JsonRecord, Number
from mabench.results.answers import RowUsage
from mabench.results.records.lines import MemoryRecord
from mabench.uncertainty import ALPHA

_PERCENTILES = (50, 95, 99)
_THOUSAND = 1000
# The fields of a summary that are sums of the same field over rows.
_SUMMED_FIELDS = ("chunks", "tokens", "memories", "bytes", "chunks_without_memory")


@dataclass(frozen=True, slots=True, kw_only=True)
class CallTimes(JsonRecord):
    """How long calls of one kind took, in seconds."""

    n: int  # How many calls there were.
    seconds: Number  # How long they took together.
    # The time within which 50, 95 and 99 % of the calls were done; each is the time of a call.
    p50: Number
    p95: Number
    p99: Number
    # Their 95 % intervals by order statistics, as if calls were independent, by name; left out
    # where the calls are too few for one.
    intervals: IfKnown[Mapping[str, tuple[Number, Number]] | None] = None

    @classmethod
    def of(cls, counts: Mapping[float, int], seconds: float) -> Self | None:
        """Return the times of calls by how many took so long; None of no call.

        Args:
            counts: how many calls took a time, by the time.
            seconds: how long all calls took together; the times in ``counts`` are rounded.
        """
        times = sorted(counts)
        # How many calls were done within each of the times.
        calls_done = [*accumulate(counts[time] for time in times)]
        n = calls_done[-1] if calls_done else 0
        if n <= 0:  # The counts are of a file that may have been edited.
            return None

        def time_of(rank: float) -> float:
            """Return the time of the call with a rank, from 1, among all sorted by time."""
            return times[bisect_left(calls_done, rank)]

        ranks = {f"p{percent}": _interval_ranks(n, percent / 100) for percent in _PERCENTILES}
        return cls(
            n=n,
            seconds=round(seconds, 6),
            **{f"p{percent}": time_of(percent * n / 100) for percent in _PERCENTILES},
            intervals={
                name: (time_of(limits[0]), time_of(limits[1]))
                for name, limits in ranks.items()
                if limits
            }
            or None,
        )


def _interval_ranks(n: int, share: float) -> tuple[int, int] | None:
    """Return the ranks, from 1, between which a percentile of n calls lies in 95 % of cases.

    ``share`` is the percentile, 0.5 for the median. By order statistics (David and Nagaraja 2003,
    section 7.1): how many calls are faster than it has a binomial distribution. None if n is so
    small that one of the ranks would be none of a call.
    """
    from scipy.special import bdtrik

    fewest, most = (float(bdtrik(end, n, share)) for end in (ALPHA / 2, 1 - ALPHA / 2))
    if isnan(fewest) or isnan(most) or fewest < 1 or most + 2 > n:
        return None
    return floor(fewest), ceil(most) + 1


@dataclass(frozen=True, slots=True, kw_only=True)
class MemorySummary(JsonRecord):
    """The memories of some rows; a number is null, or left out, unless it is known of every row.

    Times are those of rows that were memorized whole, and of calls that no kept reply answered.
    """

    rows: int  # How many rows were memorized, with those that failed.
    failed: int  # How many of them failed.
    chunks: int | None  # How many chunks the agent was given.
    tokens: int | None  # Their length, estimated.
    memories: int | None  # How many memories are stored in the end.
    bytes: int | None  # Their size.
    chunks_without_memory: int | None  # After how many chunks the count had not grown.
    # The mean share of the history that was dropped, from 0 to 100; null if unknown.
    dropped_share: float | None
    # How long it took to add a text; percentiles have two significant digits.
    add: IfKnown[CallTimes | None] = None
    add_per_1000_tokens: IfKnown[Number | None] = None  # Seconds to add 1,000 tokens.
    ready: IfKnown[CallTimes | None] = None  # From the last text until everything could be found.
    search: IfKnown[CallTimes | None] = None  # How long a search took, without reading.
    bytes_per_1000_tokens: IfKnown[Number | None] = None  # Bytes stored per 1,000 tokens.

    @classmethod
    def of(cls, rows: Sequence[RowMemory]) -> Self | None:
        """Add up the memories of rows; None of no row."""
        if not rows:
            return None
        records = [row.record for row in rows]
        whole = [record for record in records if record.error is None]
        ready, tokens = _known_of_all(whole, "ready_seconds"), sum(_known_of_all(whole, "tokens"))
        sizes, adds = _known_of_all(whole, "bytes"), _known_of_all(whole, "adds")
        adds_by_time = sum(map(Counter, adds), Counter[float]())
        add = CallTimes.of(adds_by_time, sum(_known_of_all(whole, "add_seconds")))
        searches = [*chain(*_known_of_all(rows, "searches"))]
        sums: dict[str, int | None] = {}
        for name in _SUMMED_FIELDS:
            counts = _known_of_all(records, name)
            sums[name] = sum(counts) if counts else None
        return cls(
            rows=len(records),
            failed=len(records) - len(whole),
            **sums,
            dropped_share=_dropped_share(rows),
            add=add,
            add_per_1000_tokens=_THOUSAND * add.seconds / tokens if add and tokens else None,
            ready=CallTimes.of(Counter(ready), sum(ready)),
            search=CallTimes.of(Counter(searches), sum(searches)),
            bytes_per_1000_tokens=_THOUSAND * sum(sizes) / tokens if sizes and tokens else None,
        )

    def figures(self) -> dict[str, tuple[int | None, float]]:
        """Return what is known of times and size by name: of how many calls, and a value.

        With so few calls that a percentile is their maximum, this is called the largest time.
        """
        figures: dict[str, tuple[int | None, float]] = {}
        if self.add_per_1000_tokens is not None:
            figures["add seconds per 1,000 tokens"] = None, float(self.add_per_1000_tokens)
        for name, times in (("add", self.add), ("ready", self.ready), ("search", self.search)):
            if times:
                for percent in _PERCENTILES:
                    calls_beyond = times.n * (100 - percent) / 100
                    if calls_beyond >= 1:
                        figures[f"{name} p{percent} seconds"] = times.n, float(times[f"p{percent}"])
                    else:  # Of fewer than 100 calls, p99 is the maximum, too.
                        figures[f"{name} largest seconds"] = times.n, float(times.p99)
        if self.bytes_per_1000_tokens is not None:
            figures["bytes per 1,000 tokens"] = None, float(self.bytes_per_1000_tokens)
        return figures


class RowMemory(NamedTuple):
    """The memory of a row."""

    record: MemoryRecord
    usage: RowUsage | None  # What its answers took; None if none was asked.
    searches: Sequence[float] | None  # Their seconds; None if they cannot be told.


def _dropped_share(rows: Sequence[RowMemory]) -> float | None:
    """Return the share of the histories that answers were not shown, from 0 to 100, if known.

    Each answer of a row was to be shown all of its history. Their lengths are estimates, so that
    more may seem to be dropped than there was.
    """
    dropped = to_show = 0
    for record, usage, _ in rows:
        if usage and record.tokens and usage.dropped_tokens is not None:
            dropped += usage.dropped_tokens
            answers = usage.n - usage.errors
            to_show += record.tokens * answers
    return min(100.0, 100 * dropped / to_show) if to_show else None


def _known_of_all(records: Sequence[object], name: str) -> list[Any]:
    """Return a figure of each record; an empty list if it is None for any record."""
    values = [getattr(record, name) for record in records]
    return [] if None in values else values
