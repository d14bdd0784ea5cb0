"""How a memory grows while it is told a history, where it can tell.

It is asked what it holds before the first chunk and after each. That is for diagnosis alone: when
it cannot tell, or fails to, the figures are missing and nothing else changes.
"""

from __future__ import annotations

import time

from mabench.contract import Agent, Stats, stats_of
from mabench.runs.engine.calls import Caller


class Growth:
    """Counts what an agent's memory holds.

    Args:
        calls: calls the agent's methods.
        agent: the agent; one without ``stats`` is never asked.
        limit: seconds that a reply may take; after one that takes longer it is not asked again.

    Attributes:
        seconds: how long all its replies took; that is no part of what memorizing takes.
    """

    def __init__(self, calls: Caller, agent: Agent, limit: float | None) -> None:
        self._calls = calls
        self._stats = getattr(agent, "stats", None)
        self._limit = limit
        self.seconds = 0.0
        self._held = Stats()
        self._without: int | None = None

    async def begin(self) -> None:
        """Ask before the first chunk; one that cannot tell yet is taken to hold nothing."""
        self._held = await self._asked()
        self._without = 0

    async def chunk_told(self) -> None:
        """Ask after a chunk, and count it when the number of memories did not rise."""
        before = self._held.memories or 0
        self._held = await self._asked()
        if self._held.memories is None:
            self._without = None
        elif self._without is not None:
            self._without += self._held.memories <= before

    async def look(self) -> None:
        """Ask what is held now, whatever was held before."""
        self._held = await self._asked()

    def figures(self) -> dict[str, int]:
        """Return the ``memories`` and ``bytes`` held, and ``chunks_without_memory``.

        What is not known is left out.
        """
        memories, size = self._held
        without = None if memories is None else self._without
        figures = {"memories": memories, "bytes": size, "chunks_without_memory": without}
        return {name: value for name, value in figures.items() if value is not None}

    async def _asked(self) -> Stats:
        if not callable(self._stats):
            return Stats()
        start = time.perf_counter()
        try:
            return stats_of(await self._calls.call(self._stats, limit=self._limit))
        except TimeoutError:
            self._stats = None  # It would hold up the row once a chunk.
            return Stats()
        except Exception:
            return Stats()
        finally:
            self.seconds += time.perf_counter() - start
