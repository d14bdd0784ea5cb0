"""The memories of a row on disk: where they lie, and how long they stay."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Awaitable, Callable, Iterable
from contextlib import suppress
from pathlib import Path

from mabench.data import Row
from mabench.injection import Script
from mabench.installation import cache_folder
from mabench.runs.context import RunContext


class SavedMemories:
    """The memories of a row that its agent saved, at most one for each point of the history.

    They lie in the run folder until the row is done. With ``keep_memories`` they lie in the cache,
    and stay: later runs find them by a hash of what they are built by, the agent with its code and
    model, and of all that they were told.
    """

    def __init__(self, context: RunContext, row: Row, script: Script) -> None:
        self.stay = context.spec.agent.keep_memories
        self._builder = context.inputs.builder
        self._pieces = script.pieces
        self._points = sorted({*script.points, len(script.pieces)}, reverse=True)
        self._own_place = context.store.path / "memories" / f"{row.split}-{row.index}"

    def find_latest(self, most: int) -> tuple[int, Path] | None:
        """Return the latest that was told ``most`` pieces, or fewer: how many, and its folder."""
        for point in self._points:  # The latest first.
            if point > most:
                continue
            place = self._place(point)
            if place.is_dir():
                return point, place
        return None

    async def add(self, told: int, save: Callable[[Path], Awaitable[None]]) -> None:
        """Let ``save`` write a memory; one that is half saved is never found."""
        place = self._place(told)
        part = place.with_name(f".{place.name}.part")
        shutil.rmtree(part, ignore_errors=True)
        try:
            part.mkdir(parents=True)
            await save(part)
            shutil.rmtree(place, ignore_errors=True)
            part.replace(place)
        except Exception:
            shutil.rmtree(part, ignore_errors=True)
            raise
        self._remove([point for point in self._points if point < told])

    def drop(self) -> None:
        """Remove what only the unfinished run had a use for."""
        self._remove(self._points)

    def _remove(self, points: Iterable[int]) -> None:
        """Remove the memories of these points, unless memories stay, and a folder left empty."""
        if not self.stay:
            for point in points:
                shutil.rmtree(self._place(point), ignore_errors=True)
        with suppress(OSError):  # Other memories lie there, or none did.
            self._own_place.parent.rmdir()

    def _place(self, told: int) -> Path:
        """Return where the memory lies after it was told a number of pieces.

        In the run folder that is ``SPLIT-ROW-TOLD``, or ``SPLIT-ROW`` of the whole history.
        """
        if not self.stay:
            suffix = f"-{told}" if told < len(self._pieces) else ""
            return self._own_place.with_name(f"{self._own_place.name}{suffix}")
        digest = hashlib.sha256(self._builder.encode())
        for piece in self._pieces[:told]:
            digest.update(b"\0" + piece.text.encode("utf-8", "surrogatepass"))
            if piece.fields:
                digest.update(b"\1" + json.dumps({**piece.fields}, default=str).encode())
        return cache_folder() / "memories" / digest.hexdigest()
