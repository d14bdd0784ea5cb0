"""What is known of a source's memories: what they were given, what they stored, what was cut."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from mabench.runs.records.measurements import MemoryRecord, Place
from mabench.runs.results.summaries import MemorySummary, RowUsage


def memory_summaries(
    memories: Mapping[Place, MemoryRecord], rows: Iterable[RowUsage]
) -> dict[str, MemorySummary]:
    """Return the memory's summary of each source of which a row was memorized.

    Args:
        memories: what is known of each row's memory, by split and row.
        rows: what the answers of each row took.
    """
    usage = {(row.split, row.row): row for row in rows}
    sources: dict[str, list[MemoryRecord]] = {}
    for memory in memories.values():
        sources.setdefault(memory.source, []).append(memory)
    return {source: _summary(records, usage) for source, records in sources.items()}


def _summary(records: Sequence[MemoryRecord], usage: Mapping[Place, RowUsage]) -> MemorySummary:
    return MemorySummary(
        rows=len(records),
        failed=sum(record.error is not None for record in records),
        chunks=_total([record.chunks for record in records]),
        memories=_total([record.memories for record in records]),
        bytes=_total([record.bytes for record in records]),
        chunks_without_memory=_total([record.chunks_without_memory for record in records]),
        dropped_share=_dropped_share(records, usage),
    )


def _total(values: Sequence[int | None]) -> int | None:
    """Return the sum over rows; None unless it is known of every row."""
    known = [value for value in values if value is not None]
    return sum(known) if len(known) == len(values) else None


def _dropped_share(
    records: Iterable[MemoryRecord], usage: Mapping[Place, RowUsage]
) -> float | None:
    """Return how much of the history an answer did without, in the mean, from 0 to 100."""
    dropped = whole = 0
    for memory in records:
        row = usage.get(memory.place)
        if row and memory.tokens and row.dropped_tokens is not None:
            dropped += row.dropped_tokens
            whole += memory.tokens * (row.n - row.errors)
    return min(100.0, 100 * dropped / whole) if whole else None
