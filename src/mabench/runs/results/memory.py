"""What is known of a source's memories: what they were told, what they stored, what was cut."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

Place = tuple[str, int]
Record = Mapping[str, Any]


def memory_summaries(
    memories: Mapping[Place, Record], rows: Iterable[Record]
) -> dict[str, dict[str, Any]]:
    """Return the ``memory`` entry of each source of which a row was memorized.

    Args:
        memories: the lines of ``memories.jsonl``, by split and row.
        rows: the ``rows`` of the summary.
    """
    asked = {(row["split"], row["row"]): row for row in rows}
    places: dict[str, list[Place]] = {}
    for place, record in memories.items():
        places.setdefault(record["source"], []).append(place)
    return {
        source: _summary(
            [memories[place] for place in there],
            [(memories[place], asked[place]) for place in there if place in asked],
        )
        for source, there in places.items()
    }


def _summary(records: Sequence[Record], asked: Iterable[tuple[Record, Record]]) -> dict[str, Any]:
    return {
        "rows": len(records),
        "failed": sum(record.get("error") is not None for record in records),
        "chunks": _total(records, "chunks"),
        "memories": _total(records, "memories"),
        "bytes": _total(records, "bytes"),
        "chunks_without_memory": _total(records, "chunks_without_memory"),
        "dropped_share": _dropped_share(asked),
    }


def _total(records: Iterable[Record], name: str) -> int | None:
    """Return the sum over rows; None unless it is known of every row."""
    values = [record.get(name) for record in records]
    known = [value for value in values if value is not None]
    return sum(known) if len(known) == len(values) else None


def _dropped_share(asked: Iterable[tuple[Record, Record]]) -> float | None:
    """Return how much of the history an answer did without, in the mean, from 0 to 100."""
    dropped = whole = 0
    for memory, row in asked:
        if memory.get("tokens") and row["dropped_tokens"] is not None:
            dropped += row["dropped_tokens"]
            whole += memory["tokens"] * (row["n"] - row["errors"])
    return min(100.0, 100 * dropped / whole) if whole else None
