"""How a memory grows while it is told a history, where it can tell.

It is asked what it holds before the first chunk and after each. That is for diagnosis alone: when
it cannot tell, or fails to, the figures are missing and nothing else changes.
"""

from __future__ import annotations

import time

from mabench.contract import Stats
from mabench.runs.engine.session import AgentSession


class MemoryGrowth:
    """Counts what an agent's memory holds.

    Attributes:
        seconds: how long all its replies took; that is no part of what memorizing takes.
    """

    def __init__(self, session: AgentSession) -> None:
        self.seconds = 0.0
        self._session = session
        self._replies = True
        self._stats = Stats()
        self._without: int | None = None

    async def begin(self) -> None:
        """Ask before the first chunk; one that cannot tell yet is taken to hold nothing."""
        await self.look()
        self._without = 0

    async def chunk_memorized(self) -> None:
        """Ask after a chunk, and count it when the number of memories did not rise."""
        before = self._stats.memories or 0
        await self.look()
        if self._stats.memories is None:
            self._without = None
        elif self._without is not None:
            self._without += self._stats.memories <= before

    async def look(self) -> None:
        """Ask what is held now; after a reply that took too long, the agent is asked no more."""
        self._stats = Stats()
        if not self._replies:
            return
        start = time.perf_counter()
        try:
            self._stats = await self._session.stats()
        except TimeoutError:
            self._replies = False  # It would hold up the row after every chunk.
        except Exception:  # Missing figures say so.
            return
        finally:
            self.seconds += time.perf_counter() - start

    def figures(self) -> dict[str, int]:
        """Return the ``memories`` and ``bytes`` held, and ``chunks_without_memory``.

        What is not known is left out.
        """
        memories, size = self._stats
        without = None if memories is None else self._without
        figures = {"memories": memories, "bytes": size, "chunks_without_memory": without}
        return {name: value for name, value in figures.items() if value is not None}
