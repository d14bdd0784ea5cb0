"""Memories kept on disk, of agents that can save and load themselves.

A row that was memorized once is not memorized again when its run is resumed. Where memories are
kept, later runs find it as well, by a hash of the agent and of everything that it was told.
"""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Sequence
from pathlib import Path

from mabench.data import Row
from mabench.runs.engine.session import AgentSession


class SavedMemory:
    """The place of one row's memory.

    Args:
        agent: what names the agent, with its settings.
        row: the row.
        chunks: what the agent is told.
        run_folder: where memories are kept while the run is unfinished.
        shared: where they are kept for later runs; None to keep none.
    """

    def __init__(
        self, agent: str, row: Row, chunks: Sequence[str], run_folder: Path, shared: Path | None
    ) -> None:
        self._lasting = shared is not None
        name = f"{row.split}-{row.index}" if shared is None else _key(agent, chunks)
        self._place = (shared or run_folder / "memories") / name

    async def load(self, session: AgentSession) -> bool:
        """Let the agent load its memory; False when there is none or it cannot load any.

        A memory that cannot be loaded is dropped, and a fresh agent has to memorize again.

        Raises:
            Exception: whatever the agent raises.
        """
        if not session.has("load") or not self._place.is_dir():
            return False
        try:
            await session.load(self._place)
        except Exception:
            shutil.rmtree(self._place, ignore_errors=True)
            raise
        return True

    async def save(self, session: AgentSession) -> None:
        """Let the agent save its memory, if it can; a memory half saved is never found."""
        if not session.has("save") or not session.has("load"):
            return
        part = self._place.with_name(f".{self._place.name}.part")
        try:
            shutil.rmtree(part, ignore_errors=True)
            part.mkdir(parents=True)
            await session.save(part)
            shutil.rmtree(self._place, ignore_errors=True)
            part.replace(self._place)
        except Exception:  # The memory works; it only has to be made again after a stop.
            shutil.rmtree(part, ignore_errors=True)

    def drop(self) -> None:
        """Forget a memory that only the unfinished run had a use for."""
        if not self._lasting:
            shutil.rmtree(self._place, ignore_errors=True)
            if self._place.parent.is_dir() and not any(self._place.parent.iterdir()):
                self._place.parent.rmdir()


def _key(agent: str, chunks: Sequence[str]) -> str:
    digest = hashlib.sha256(agent.encode())
    for chunk in chunks:
        digest.update(b"\0" + chunk.encode("utf-8", "surrogatepass"))
    return digest.hexdigest()
