"""What memories retrieved, and what they take and hold: seconds, and bytes of a history."""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, chain
from statistics import fmean
from typing import Any, NamedTuple, Self

from mabench.json_text import IfKnown, JsonRecord, Number
from mabench.results.answers import CallsSummary, RowUsage
from mabench.results.records.lines import MemoryRecord, Place, Timing
from mabench.results.records.store import RunFolder
from mabench.results.scored import ScoredQuestion
from mabench.uncertainty import Grouped
from mabench.uncertainty.score_intervals import Intervals

_DEPTHS = (1, 5, 10)
_PERCENTILES = (50, 95, 99)
_THOUSAND = 1000
_COUNTS = ("chunks", "tokens", "memories", "bytes", "chunks_without_memory")


@dataclass(frozen=True, slots=True, kw_only=True)
class RetrievalSummary(JsonRecord):
    """What was retrieved for the answered questions of a source."""

    questions: int  # How many have passages.
    nothing: int  # How many have none.
    depth: float | None  # Mean number of passages of ``questions``.
    shown_tokens: float | None  # Mean number of their tokens, estimated.
    sought: int  # For how many it is known whether they were hit.
    # What a hit is: ``evidence`` if all that supports the answer must be retrieved; ``mention`` if
    # a passage must mention a gold, because the support of some question is unknown; null if
    # ``sought`` is 0.
    by: str | None
    hit: float | None  # The share of ``sought`` that was hit.
    hit_at: Mapping[str, float] | None  # The same for the first 1, 5 and 10 passages.
    answered: float | None  # The official score of ``sought``.
    answered_when_hit: float | None  # The official score of those that were hit.
    # For how many questions every chunk of the row was retrieved; these do not test the search.
    # Null for none.
    every_chunk: IfKnown[int | None] = None

    @property
    def is_exhaustive(self) -> bool:
        """Whether every chunk was retrieved for every question."""
        return bool(self.every_chunk) and self.every_chunk == self.questions + self.nothing


@dataclass(frozen=True, slots=True, kw_only=True)
class EvidenceSummary(JsonRecord):
    """What was retrieved of the turns that support answers; all but ``n`` from 0 to 100."""

    n: int  # How many questions name such turns.
    interval: Intervals | None  # The intervals of ``evidence_recall``; null if that is.
    # The mean share of a question's turns in the first 1, 5 and 10 passages.
    turns_at: Mapping[str, float]
    sessions_at: Mapping[str, float]  # The same for sessions, of which one turn is enough.


@dataclass(frozen=True, slots=True, kw_only=True)
class _CallTimes(JsonRecord):
    """How long calls of one kind took, in seconds."""

    n: int  # How many calls there were.
    seconds: Number  # How long they took together.
    # The time within which 50, 95 and 99 % of the calls were done; each is the time of a call.
    p50: Number
    p95: Number
    p99: Number

    @classmethod
    def of(cls, counts: Mapping[float, int], seconds: float) -> Self | None:
        """Return the times of calls by how many took so long; None of no call."""
        times = sorted(counts)
        done = [0, *accumulate(counts[time] for time in times)]
        if (n := done.pop()) <= 0:  # Of what was written, and may be edited.
            return None
        places = (bisect_left(done[1:], percent * n / 100) for percent in _PERCENTILES)
        p50, p95, p99 = (times[place] for place in places)
        return cls(n=n, seconds=round(seconds, 6), p50=p50, p95=p95, p99=p99)


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
    add: IfKnown[_CallTimes | None] = None
    add_per_1000_tokens: IfKnown[Number | None] = None  # Seconds to add 1,000 tokens.
    ready: IfKnown[_CallTimes | None] = None  # From the last text until everything could be found.
    search: IfKnown[_CallTimes | None] = None  # How long a search took, without reading.
    bytes_per_1000_tokens: IfKnown[Number | None] = None  # Bytes stored per 1,000 tokens.

    @classmethod
    def of(cls, rows: Sequence[RowMemory]) -> Self | None:
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
        size, adds = _each(whole, "bytes"), _each(whole, "adds")
        counts = sum(map(Counter, adds), Counter[float]())
        add = _CallTimes.of(counts, sum(_each(whole, "add_seconds")))
        searches = [*chain(*_each(rows, "searches"))]
        return cls(
            rows=len(records),
            failed=len(records) - len(whole),
            **{name: sum(each) if (each := _each(records, name)) else None for name in _COUNTS},
            dropped_share=min(100.0, 100 * dropped / weight) if weight else None,
            add=add,
            add_per_1000_tokens=_THOUSAND * add.seconds / tokens if add and tokens else None,
            ready=_CallTimes.of(Counter(ready), sum(ready)),
            search=_CallTimes.of(Counter(searches), sum(searches)),
            bytes_per_1000_tokens=_THOUSAND * sum(size) / tokens if size and tokens else None,
        )

    def figures(self) -> dict[str, tuple[int | None, float]]:
        """Return what is known of times and size by name: of how many calls, and a value."""
        figures: dict[str, tuple[int | None, float]] = {}
        if self.add_per_1000_tokens is not None:
            figures["add seconds per 1,000 tokens"] = None, float(self.add_per_1000_tokens)
        for name, times in (("add", self.add), ("ready", self.ready), ("search", self.search)):
            if times:
                for percent in _PERCENTILES:
                    figures[f"{name} p{percent} seconds"] = times.n, float(times[f"p{percent}"])
        if self.bytes_per_1000_tokens is not None:
            figures["bytes per 1,000 tokens"] = None, float(self.bytes_per_1000_tokens)
        return figures


class RetrievalTally:
    """What is known so far of the retrieval for a source's questions.

    Once an agent has reported passages, an answer without any counts as one that misses the gold.
    """

    def __init__(self) -> None:
        self._any = False  # Were any passages reported? Without, nothing is known of evidence.
        # Of each question with evidence, from 0 to 1: of each type, and of all (None).
        self._recalls: defaultdict[str | None, array[float]] = defaultdict(lambda: array("d"))
        self._histories = array("q")
        self._turns, self._sessions = ({depth: array("d") for depth in _DEPTHS} for _ in range(2))
        self._reported = False
        self._nothing = self._every_chunk = 0
        self._passages, self._tokens = array("q"), array("q")
        self._by: set[str] = set()
        # Of the questions of which hits are known: rank (0 for none), and official score.
        self._ranks, self._scores = array("q"), array("d")

    def add(self, scored: ScoredQuestion, history: int) -> None:
        """Take in a question about the history of a number."""
        sample = scored.sample
        self._any |= bool(sample.retrieved)
        if sample.evidence_recall is not None:
            self._histories.append(history)
            for kind in {None, sample.question_type or None}:
                self._recalls[kind].append(float(sample.evidence_recall))
        shares = ((self._turns, sample.evidence_ranks), (self._sessions, sample.session_ranks))
        for share, ranks in shares:
            if ranks:
                for depth in _DEPTHS:
                    share[depth].append(fmean(rank is not None and rank <= depth for rank in ranks))
        if sample.prediction is None:
            return
        if sample.retrieved and sample.shown_tokens is None:
            return  # Stored by a version that did not look for the gold.
        self._reported |= sample.shown_tokens is not None
        if sample.retrieved:
            self._passages.append(len(sample.retrieved))
            self._tokens.append(sample.shown_tokens or 0)
        else:
            self._nothing += 1
        self._every_chunk += sample.every_chunk
        if scored.official is not None and sample.hit_by:
            self._by.add(sample.hit_by)
            self._ranks.append(sample.hit_rank or 0)
            self._scores.append(100 * scored.official)

    def recall(self, kind: str | None = None) -> float | None:
        """Return the recall of evidence for questions of a type, or all; None where unknown."""
        recalls = self._recalls[kind] if self._any else ()
        return 100 * fmean(recalls) if recalls else None

    def evidence(self) -> EvidenceSummary | None:
        """Return the recall at each depth; None where turns have no ids."""
        n, recalls = len(self._turns[1]), self._recalls[None]
        if not self._any or not n or not self._sessions[1]:
            return None
        return EvidenceSummary(
            n=n,
            interval=Intervals.of([(1, Grouped.of(recalls, self._histories))]),
            turns_at={str(depth): 100 * fmean(self._turns[depth]) for depth in _DEPTHS},
            sessions_at={str(depth): 100 * fmean(self._sessions[depth]) for depth in _DEPTHS},
        )

    def summary(self) -> RetrievalSummary | None:
        """Return what was retrieved; None where the agent reported no passages."""
        if not self._reported:
            return None
        ranks = self._ranks
        hits = [score for rank, score in zip(ranks, self._scores, strict=True) if rank]
        hit_at = {str(k): 100 * fmean(0 < rank <= k for rank in ranks) for k in _DEPTHS if ranks}
        return RetrievalSummary(
            questions=len(self._passages),
            nothing=self._nothing,
            depth=_mean(self._passages),
            shown_tokens=_mean(self._tokens),
            sought=len(ranks),
            by=max(self._by, default=None),  # A mention says less.
            hit=100 * len(hits) / len(ranks) if ranks else None,
            hit_at=hit_at or None,
            answered=_mean(self._scores),
            answered_when_hit=_mean(hits),
            every_chunk=self._every_chunk or None,
        )


def _mean(values: Sequence[float]) -> float | None:
    return fmean(values) if values else None


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
        rows: Iterable[RowUsage],
        calls: CallsSummary | None,
    ) -> list[RowMemory]:
        """Return the memory of each row, without the times of what kept replies made faster."""
        usage = {row.place: row for row in rows}
        searches: dict[Place, list[float]] = defaultdict(list)
        for timing in timings:
            if timing.search_seconds is not None:
                searches[timing.split, timing.row].append(float(timing.search_seconds))
        listed = folder.calls() if calls and calls.by_memory.kept else ()
        kept = {(call.phase, call.place) for call in listed if call.kept and call.by == "memory"}
        memories = []
        for place, record in records.items():
            if ("memorizing", place) in kept:
                record = replace(record, adds=None, add_seconds=None, ready_seconds=None)
            own = None if ("answering", place) in kept else searches[place]
            memories.append(cls(record, usage.get(place), own))
        return memories


def _each(records: Sequence[object], name: str) -> list[Any]:
    """Return a figure of each record; nothing unless it is known of every one."""
    values = [getattr(record, name) for record in records]
    return [] if None in values else values
