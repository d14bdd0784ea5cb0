"""What a run knows of its memories, as the lines of ``memories.jsonl`` say it one by one."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Any

from mabench.results.records.lines import MemoryRecord, Place

# What is measured while a row is memorized, and stays true of a memory that is loaded later.
_LASTING = (
    *("chunks", "characters", "tokens", "memories", "bytes", "chunks_without_memory"),
    *("sketch", "adds", "add_seconds", "ready_seconds"),
)


class LatestMemories:
    """The latest memory of each row; a loaded one with what was measured when it was built."""

    def __init__(self) -> None:
        # By row, in the order in which the rows were first memorized.
        self.by_place: dict[Place, MemoryRecord] = {}
        # What was known of a row's memory when it was last loaded.
        self._when_loaded: dict[Place, MemoryRecord | None] = {}

    def add(self, memory: MemoryRecord) -> None:
        """Take in the next line of the file."""
        place = memory.place
        if not memory.loaded:
            self.by_place[place] = memory
            return
        if memory.adds is None:  # Nothing was told yet since it was loaded.
            self._when_loaded[place] = self.by_place.get(place)
        self.by_place[place] = _with_earlier(memory, self._when_loaded.get(place))


def _with_earlier(loaded: MemoryRecord, earlier: MemoryRecord | None) -> MemoryRecord:
    """Return the record of a loaded memory with what an earlier one knows of it."""
    unknown = [name for name in _LASTING if getattr(loaded, name) is None]
    fields: dict[str, Any] = {name: getattr(earlier, name, None) for name in unknown}
    if loaded.adds is not None:  # Of texts that were told after it was loaded.
        before = None if earlier is None else earlier.adds
        fields["adds"] = None if before is None else Counter(before) + Counter(loaded.adds)
        fields["add_seconds"] = earlier and (earlier.add_seconds or 0) + (loaded.add_seconds or 0)
    return replace(loaded, **fields)
