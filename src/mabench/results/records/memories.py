"""Puts together what the lines of ``memories.jsonl`` say of the memory of each row.

A row has a line when it is memorized. When a run is resumed, a saved memory is loaded, which has
another line; that line lacks what was measured before the memory was saved.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Any

from mabench.results.records.lines import MemoryRecord, Place

# The fields that are measured while a row is memorized, and stay true of a memory that is loaded.
_LASTING_FIELDS = (
    *("chunks", "characters", "tokens", "memories", "bytes", "chunks_without_memory"),
    *("sketch", "adds", "add_seconds", "ready_seconds"),
)


class LatestMemories:
    """The latest memory of each row; a loaded one with what was measured when it was built."""

    def __init__(self) -> None:
        # By the place of the row, in the order in which rows were first memorized.
        self.by_place: dict[Place, MemoryRecord] = {}
        # What was known of a row's memory before it was last loaded; None if nothing was.
        self._before_loading: dict[Place, MemoryRecord | None] = {}

    def add(self, memory: MemoryRecord) -> None:
        """Take in the next line of the file.

        A loaded memory has a line when it was loaded, and another one, with times of adding, if
        texts were added afterwards.
        """
        place = memory.place
        if not memory.loaded:
            self.by_place[place] = memory
            return
        if memory.adds is None:  # It was just loaded.
            self._before_loading[place] = self.by_place.get(place)
        self.by_place[place] = _complete(memory, self._before_loading.get(place))


def _complete(loaded: MemoryRecord, earlier: MemoryRecord | None) -> MemoryRecord:
    """Return the record of a loaded memory with what an earlier record of it knows.

    Times of adding are put together: those before it was saved, and those since it was loaded. They
    are unknown if the earlier ones are.
    """
    if earlier is None:
        return loaded if loaded.adds is None else replace(loaded, adds=None, add_seconds=None)
    fields: dict[str, Any] = {
        name: getattr(earlier, name) for name in _LASTING_FIELDS if getattr(loaded, name) is None
    }
    if loaded.adds is not None:  # Texts were added after it was loaded.
        fields["adds"] = None
        if earlier.adds is not None:
            fields["adds"] = Counter(earlier.adds) + Counter(loaded.adds)
        fields["add_seconds"] = (earlier.add_seconds or 0) + (loaded.add_seconds or 0)
    return replace(loaded, **fields)
