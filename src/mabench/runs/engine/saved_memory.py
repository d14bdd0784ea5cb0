"""Memories kept on disk, of agents that can save and load themselves.

A row that was memorized once is not memorized again when its run goes on. With ``--keep-memories``
later runs find it as well, by a hash of the agent and of everything that it was told.
"""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Sequence
from pathlib import Path

from mabench.contract import Agent
from mabench.data import Row
from mabench.runs.engine.calls import Caller


class SavedMemory:
    """The place of one row's memory.

    Args:
        agent: what names the agent, with its settings.
        row: the row.
        told: the chunks.
        run_folder: where memories are kept while the run is unfinished.
        shared: where they are kept for later runs; None to keep none.
    """

    def __init__(
        self, agent: str, row: Row, told: Sequence[str], run_folder: Path, shared: Path | None
    ) -> None:
        self._lasting = shared is not None
        name = f"{row.split}-{row.index}" if shared is None else _key(agent, told)
        self._place = (shared or run_folder / "memories") / name

    async def load(self, calls: Caller, agent: Agent, limit: float | None) -> bool:
        """Let ``agent`` load what was kept; False when there is nothing or it cannot.

        What cannot be loaded is dropped, and a fresh agent has to memorize again.
        """
        load = getattr(agent, "load", None)
        if not callable(load) or not self._place.is_dir():
            return False
        try:
            await calls.call(load, self._place, limit=limit)
        except Exception:
            shutil.rmtree(self._place, ignore_errors=True)
            raise
        return True

    async def save(self, calls: Caller, agent: Agent, limit: float | None) -> None:
        """Let ``agent`` save itself, if it can; what was half saved is never found."""
        save = getattr(agent, "save", None)
        if not callable(save) or not callable(getattr(agent, "load", None)):
            return
        part = self._place.with_name(f".{self._place.name}.part")
        try:
            shutil.rmtree(part, ignore_errors=True)
            part.mkdir(parents=True)
            await calls.call(save, part, limit=limit)
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


def _key(agent: str, told: Sequence[str]) -> str:
    digest = hashlib.sha256(agent.encode())
    for chunk in told:
        digest.update(b"\0" + chunk.encode("utf-8", "surrogatepass"))
    return digest.hexdigest()
