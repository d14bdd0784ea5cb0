"""Memorizing a row: its agent loads a memory or is told the history, and is measured."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

from mabench.contract import Stats
from mabench.contract.failures import error_fields
from mabench.data import Row
from mabench.injection import Script
from mabench.models import CallPhase
from mabench.results import MemoryRecord
from mabench.runs.calls import RowCalls
from mabench.runs.context import RunContext
from mabench.runs.conversation import Conversation
from mabench.runs.memorizing.saved import SavedMemories
from mabench.tasks.threads import in_thread
from mabench.text import estimate_each, sketch_text


class Memorizer:
    """Tells the agent of a row its ``script``, and stores what is known of its memory by then.

    An agent that can save and load itself is saved at each point of the history at which it is
    asked, so that a resumed run does not memorize the row again.

    ``note_piece`` is called with the number of each piece that was told, from 1, and the ids that
    the agent gave it. The agent is asked what it holds before the first chunk and after each, for
    diagnosis alone: if it cannot tell, or fails to, the figures are missing and nothing else
    changes.
    """

    def __init__(
        self,
        context: RunContext,
        row: Row,
        script: Script,
        calls: RowCalls,
        note_piece: Callable[[int, Sequence[object]], Awaitable[None]],
    ) -> None:
        self._told: int | None = None  # How many pieces the agent knows; None before the first.
        self._run, self._row, self._calls = context, row, calls
        self._script, self._pieces, self._note_piece = script, script.pieces, note_piece
        self.saved: SavedMemories | None = None  # None of an agent that cannot load any.
        self._is_loaded = False
        self._load_error: str | None = None
        self._seconds = 0.0  # Spent on memorizing and loading.
        self._adds: list[float] = []  # Seconds of each call that told a piece.
        self._ready_seconds: float | None = None  # Seconds until all could be found.
        self._stats_seen: list[Stats] = []  # Before the first piece, and after each.
        self._look_seconds = 0.0  # Spent on looking at it; not counted as memorizing.
        self._tells_stats = True  # Until a reply takes too long.

    @property
    def told(self) -> int:
        """How many pieces the agent knows."""
        return self._told or 0

    async def load(self, agent: Conversation, most: int) -> bool:
        """Let the agent load the latest memory that was told ``most`` pieces, or fewer, if any.

        Returns False if loading failed: a fresh agent is needed then. A memory that cannot be
        loaded stays until another takes its place.
        """
        if not agent.has("load"):
            return True
        start = time.perf_counter()
        self.saved = SavedMemories(self._run, self._row, self._script)
        try:
            found = self.saved.find_latest(most)
            if found is None:
                return True
            told, place = found
            with self._run.stop.waiting_for(f"loading the memory of {self._calls.row_name}"):
                await agent.load(place)
                await agent.ready()
        except Exception as failure:
            self._load_error = error = error_fields(failure, agent.describe_call("load"))["error"]
            why = f"its saved memory could not be loaded, so the row is memorized again: {error}"
            self._say(why)
            return False
        self._told, self._is_loaded = told, True
        await self._measure_store(agent)
        self._store(start, loaded=True)
        return True

    async def memorize(self, agent: Conversation, point: int) -> str | None:
        """Tell the agent the pieces before a point that it does not know, and let it save itself.

        Returns why that failed; None if it did not, or the run is stopping.
        """
        if self._told is not None and self._told >= point:
            return None
        self._calls.endpoint.phase = CallPhase("memorizing")
        chunks = [piece.text for piece in self._pieces[:point]]
        tokens, sketch = await in_thread(lambda: (sum(estimate_each(chunks)), sketch_text(chunks)))
        start = time.perf_counter()
        if self._told is None:
            await self._measure_store(agent)
        error = await self._tell_pieces(agent, point)
        if error is None and self._told != point:  # The run is stopping.
            return None
        record = self._store(
            start,
            loaded=self._is_loaded,
            chunks=len(chunks),
            characters=sum(map(len, chunks)),
            tokens=tokens,
            sketch=sketch,
            chunks_without_memory=None if self._is_loaded else self._chunks_without_memory(),
            adds=count_seconds(self._adds),
            add_seconds=round(sum(self._adds), 6),
            ready_seconds=self._ready_seconds,
            error=error,
            load_error=self._load_error,
        )
        if error:
            return f"memorizing failed: {error}"
        saved = self.saved if agent.has("save") else None
        if saved and not self._calls.endpoint.refused:  # Else it may lack what a call brings.
            await self._save(agent, saved, point, record)
        return None

    async def _tell_pieces(self, agent: Conversation, point: int) -> str | None:
        """Tell the agent the pieces before a point that it does not know.

        Returns why that failed; None if it did not. ``_told`` is ``point`` once all are told; it is
        not if the run is stopping.
        """
        told, call = self._told or 0, ""  # The call that is under way, in words.
        try:
            for number, piece in enumerate(self._pieces[told:point], start=told + 1):
                if self._run.stop.reason:
                    return None
                chunk = f"chunk {number} of {len(self._pieces)}"
                with self._run.stop.waiting_for(f"memorizing {chunk} of {self._calls.row_name}"):
                    call = f"{agent.describe_call('memorize')}, chunk {number}"
                    ids = await agent.tell(piece.text, piece.fields)
                    self._adds.append(agent.seconds)
                    if number == point and agent.has("ready"):
                        call = agent.describe_call("ready")
                        await agent.ready()
                        self._ready_seconds = round(agent.seconds, 6)
                    await self._measure_store(agent)
                look_start = time.perf_counter()
                await self._note_piece(number, ids)
                self._look_seconds += time.perf_counter() - look_start
                self._run.progress.advance("chunks")
            self._told = point
        except Exception as failure:
            return error_fields(failure, call)["error"]
        return None

    async def _save(
        self, agent: Conversation, saved: SavedMemories, point: int, record: MemoryRecord
    ) -> None:
        """Let the agent save itself at a point; a memory that cannot be saved still works."""
        try:
            with self._run.stop.waiting_for(f"saving the memory of {self._calls.row_name}"):
                await saved.add(point, agent.save)
        except Exception as failure:
            error = error_fields(failure, agent.describe_call("save"))["error"]
            self._run.store.append_memory(replace(record, save_error=error))
            consequence = "the row is memorized again if the run is stopped before its end"
            if saved.stay:
                consequence = "a later run memorizes the row again"
            self._say(f"its memory could not be saved, so {consequence}: {error}")

    async def _measure_store(self, agent: Conversation) -> None:
        """Note what the agent says it holds now; nothing is known once a reply took too long."""
        stats, start = Stats(), time.perf_counter()
        try:
            if self._tells_stats:
                stats = await agent.stats()
        except TimeoutError:
            self._tells_stats = False  # It would hold up the row after every chunk.
        except Exception:  # noqa: S110 - the missing figures say so.
            pass
        self._look_seconds += time.perf_counter() - start
        self._stats_seen.append(stats)

    def _chunks_without_memory(self) -> int | None:
        """Return after how many chunks the number of memories had not grown; None if unknown.

        A memory that cannot tell before the first chunk is taken to hold nothing then.
        """
        counts = [stats.memories for stats in self._stats_seen]
        if counts[-1] is None or None in counts[1:]:
            return None
        known_counts = [count or 0 for count in counts]
        return sum(after <= before for before, after in pairwise(known_counts))

    def _store(self, start: float, **measured: Any) -> MemoryRecord:
        """Store and return what is known of the memory by now.

        The time since ``start``, without that of looking, counts as memorizing; ``measured`` are
        fields of the record.
        """
        self._seconds += time.perf_counter() - start - self._look_seconds
        self._look_seconds = 0.0
        record = MemoryRecord(
            split=self._row.split,
            row=self._row.index,
            source=self._row.source,
            memories=self._stats_seen[-1].memories,
            bytes=self._stats_seen[-1].bytes,
            metered=self._run.meter is not None,
            seconds=round(self._seconds, 6),
            **measured,
        )
        self._run.store.append_memory(record)
        return record

    def _say(self, why: str) -> None:
        self._run.progress.say(f"{self._row.source}, row {self._row.index}: {why}")


def count_seconds(seconds: Iterable[float]) -> dict[float, int]:
    """Return how often each time occurs, by the time rounded to two significant digits.

    Thousands of times take some hundred numbers that way: 0.0123 and 0.0118 both count as 0.012.
    """
    counts = Counter(float(f"{time_taken:.1e}") for time_taken in seconds)
    return dict(sorted(counts.items()))
