"""What was measured while an agent memorized rows and answered questions."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Self

from mabench.runs.records.encoding import IfKnown, Number, Record
from mabench.runs.records.sample import Key

Place = tuple[str, int]

# What is measured while a row is memorized, and stays true of a memory that is loaded later.
_LASTING = ("chunks", "characters", "tokens", "memories", "bytes", "chunks_without_memory")


@dataclass(frozen=True, slots=True, kw_only=True)
class Timing(Record):
    """How long one answer took: a line of ``timings.jsonl``.

    Attributes:
        split, row, question_index: the place of the question, as in its sample.
        seconds: from the call to the answer, or to the failure.
    """

    split: str
    row: int
    question_index: int
    seconds: Number

    @property
    def key(self) -> Key:
        """What names the question, as in its sample."""
        return (self.split, self.row, self.question_index)


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryRecord(Record):
    """What is known of the memory of one row: a line of ``memories.jsonl``.

    Attributes:
        split, row: the place of the row.
        source: the source of the row.
        loaded: true where a saved memory was loaded and nothing was memorized.
        chunks: how many chunks the agent was given.
        characters: their length.
        tokens: their length in tokens, estimated.
        memories: how many memories are stored in the end, by the memory's own count.
        bytes: their size, by the memory's own count.
        chunks_without_memory: after how many chunks there were no more memories than before.
        seconds: how long memorizing or loading took.
        error: why the row could not be memorized; null when it was.
    """

    split: str
    row: int
    source: str
    loaded: IfKnown[bool] = False
    chunks: IfKnown[int | None] = None
    characters: IfKnown[int | None] = None
    tokens: IfKnown[int | None] = None
    memories: IfKnown[int | None] = None
    bytes: IfKnown[int | None] = None
    chunks_without_memory: IfKnown[int | None] = None
    seconds: Number
    error: str | None = None

    @property
    def place(self) -> Place:
        """What names the row within its data set."""
        return (self.split, self.row)

    def after(self, earlier: MemoryRecord | None) -> Self:
        """Return this record with what an earlier one knows of the memory that was loaded."""
        if earlier is None or not self.loaded:
            return self
        unknown = [name for name in _LASTING if getattr(self, name) is None]
        return replace(self, **{name: getattr(earlier, name) for name in unknown})
