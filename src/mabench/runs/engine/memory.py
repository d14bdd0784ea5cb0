"""What is kept and counted of the memory of one row."""

from __future__ import annotations

import hashlib
import shutil
import time
from collections.abc import Sequence
from contextlib import suppress
from itertools import pairwise

from mabench.contract import Stats
from mabench.data import Row
from mabench.installation import cache_folder
from mabench.runs.engine.context import RunContext
from mabench.runs.engine.session import AgentSession


class SavedMemory:
    """The memory of one row on disk, for agents that can save and load themselves.

    It lies in the run folder while the run is unfinished, so that a resumed run does not memorize
    the row again. Where ``keep_memories`` is set, it lies in the cache, where later runs find it
    by a hash of what it is built by, the agent with its code and model, and of what it was told.

    Args:
        context: the run.
        row: the row.
        chunks: what the agent is told.
    """

    def __init__(self, context: RunContext, row: Row, chunks: Sequence[str]) -> None:
        self._lasting = context.spec.agent.keep_memories
        folder = cache_folder() if self._lasting else context.store.path
        name = _key(context.inputs.builder, chunks) if self._lasting else f"{row.split}-{row.index}"
        self._place = folder / "memories" / name

    async def load(self, session: AgentSession) -> bool:
        """Let the agent load its memory; False when there is none or it cannot load any.

        A memory that cannot be loaded stays until another takes its place.

        Raises:
            Exception: whatever the agent raises.
        """
        if not session.has("load") or not self._place.is_dir():
            return False
        await session.load(self._place)
        return True

    async def save(self, session: AgentSession) -> None:
        """Let the agent save its memory, if it can; a memory half saved is never found.

        Raises:
            Exception: whatever the agent raises, or the file system.
        """
        if not session.has("save") or not session.has("load"):
            return
        part = self._place.with_name(f".{self._place.name}.part")
        try:
            shutil.rmtree(part, ignore_errors=True)
            part.mkdir(parents=True)
            await session.save(part)
            shutil.rmtree(self._place, ignore_errors=True)
            part.replace(self._place)
        except Exception:
            shutil.rmtree(part, ignore_errors=True)
            raise

    @property
    def consequence(self) -> str:
        """When a memory that could not be saved is missed, in words."""
        if self._lasting:
            return "a later run memorizes the row again"
        return "the row is memorized again if the run is stopped before its end"

    def drop(self) -> None:
        """Forget a memory that only the unfinished run had a use for."""
        if not self._lasting:
            shutil.rmtree(self._place, ignore_errors=True)
            with suppress(OSError):  # Other memories lie there, or none did.
                self._place.parent.rmdir()


def _key(builder: str, chunks: Sequence[str]) -> str:
    digest = hashlib.sha256(builder.encode())
    for chunk in chunks:
        digest.update(b"\0" + chunk.encode("utf-8", "surrogatepass"))
    return digest.hexdigest()


class MemoryGrowth:
    """Asks a memory what it holds before the first chunk and after each, for diagnosis alone.

    Where it cannot tell, or fails to, the figures are missing and nothing else changes.

    Attributes:
        seconds: how long all its replies took; that is no part of what memorizing takes.
    """

    def __init__(self, session: AgentSession) -> None:
        self.seconds = 0.0
        self._session = session
        self._replies = True
        self._looks: list[Stats] = []

    @property
    def stats(self) -> Stats:
        """What was held at the last look."""
        return self._looks[-1]

    async def look(self) -> None:
        """Ask what is held now; after a reply that took too long, the agent is asked no more."""
        stats = Stats()
        start = time.perf_counter()
        try:
            if self._replies:
                stats = await self._session.stats()
        except TimeoutError:
            self._replies = False  # It would hold up the row after every chunk.
        except Exception:  # noqa: S110 - the missing figures say so.
            pass
        self.seconds += time.perf_counter() - start
        self._looks.append(stats)

    def chunks_without_memory(self) -> int | None:
        """Return after how many chunks there were no more memories; None when it cannot tell.

        A memory that cannot tell before the first chunk is taken to hold nothing then.
        """
        counts = [stats.memories for stats in self._looks]
        if counts[-1] is None or None in counts[1:]:
            return None
        return sum(later <= earlier for earlier, later in pairwise(n or 0 for n in counts))
