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

    ``told`` is called with the number of each piece that was told, from 1, and the ids that the
    agent gave it. The agent is asked what it holds before the first chunk and after each, for
    diagnosis alone: if it cannot tell, or fails to, the figures are missing and nothing else
    changes.
    """

    def __init__(
        self,
        context: RunContext,
        row: Row,
        script: Script,
        calls: RowCalls,
        told: Callable[[int, Sequence[object]], Awaitable[None]],
    ) -> None:
        self._told: int | None = None  # How many pieces the agent knows; None before the first.
        self._run, self._row, self._calls = context, row, calls
        self._script, self._pieces, self._tell_of = script, script.pieces, told
        self.saved: SavedMemories | None = None  # None of an agent that cannot load any.
        self._is_loaded = False
        self._load_error: str | None = None
        self._seconds = 0.0  # Spent on memorizing and loading.
        self._adds: list[float] = []  # Seconds of each call that told a piece.
        self._ready_seconds: float | None = None  # Seconds until all could be found.
        self._looks: list[Stats] = []
        self._looking = 0.0  # Seconds of the looks, which are not counted as memorizing.
        self._replies = True

    async def load(self, agent: Conversation, most: int) -> bool:
        """Let the agent load the latest memory that was told ``most`` pieces, or fewer, if any.

        Returns whether nothing went wrong; else the agent must be a fresh one, and a memory that
        cannot be loaded stays until another takes its place.
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
        chunks, told = [piece.text for piece in self._pieces[:point]], self._told or 0
        tokens, sketch = await in_thread(lambda: (sum(estimate_each(chunks)), sketch_text(chunks)))
        start, error, call = time.perf_counter(), None, ""
        if self._told is None:
            await self._measure_store(agent)
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
                looked = time.perf_counter()
                await self._tell_of(number, ids)
                self._looking += time.perf_counter() - looked
                self._run.progress.advance("chunks")
            self._told = point
        except Exception as failure:
            error = error_fields(failure, call)["error"]
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
            try:
                with self._run.stop.waiting_for(f"saving the memory of {self._calls.row_name}"):
                    await saved.add(point, agent.save)
            except Exception as failure:  # A memory that cannot be saved still works.
                error = error_fields(failure, agent.describe_call("save"))["error"]
                self._run.store.append_memory(replace(record, save_error=error))
                again = "the row is memorized again if the run is stopped before its end"
                if saved.stay:
                    again = "a later run memorizes the row again"
                self._say(f"its memory could not be saved, so {again}: {error}")
        return None

    async def _measure_store(self, agent: Conversation) -> None:
        """Ask what is held now; after a reply that took too long, the agent is asked no more."""
        stats, start = Stats(), time.perf_counter()
        try:
            if self._replies:
                stats = await agent.stats()
        except TimeoutError:
            self._replies = False  # It would hold up the row after every chunk.
        except Exception:  # noqa: S110 - the missing figures say so.
            pass
        self._looking += time.perf_counter() - start
        self._looks.append(stats)

    def _chunks_without_memory(self) -> int | None:
        """Return after how many chunks there were no more memories; None when it cannot tell.

        A memory that cannot tell before the first chunk is taken to hold nothing then.
        """
        counts = [stats.memories for stats in self._looks]
        if counts[-1] is None or None in counts[1:]:
            return None
        return sum(later <= earlier for earlier, later in pairwise(n or 0 for n in counts))

    def _store(self, start: float, **measured: Any) -> MemoryRecord:
        """Store what is known of the memory by now, at which the run was since ``start``."""
        self._seconds += time.perf_counter() - start - self._looking
        self._looking = 0.0
        record = MemoryRecord(
            split=self._row.split,
            row=self._row.index,
            source=self._row.source,
            memories=self._looks[-1].memories,
            bytes=self._looks[-1].bytes,
            metered=self._run.meter is not None,
            seconds=round(self._seconds, 6),
            **measured,
        )
        self._run.store.append_memory(record)
        return record

    def _say(self, why: str) -> None:
        self._run.progress.say(f"{self._row.source}, row {self._row.index}: {why}")


def count_seconds(seconds: Iterable[float]) -> dict[float, int]:
    """Return how often each time occurs, by its two significant digits.

    Thousands of times take some hundred numbers that way.
    """
    counts = Counter(float(f"{each:.1e}") for each in seconds)
    return dict(sorted(counts.items()))
