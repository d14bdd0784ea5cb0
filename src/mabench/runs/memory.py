"""What is kept of the memory of one row, how it grows, and what was retrieved from it."""

from __future__ import annotations

import hashlib
import json
import shutil
import time
from collections import defaultdict
from collections.abc import Iterable, Sequence
from contextlib import suppress
from functools import lru_cache
from itertools import pairwise
from pathlib import Path
from typing import Any, cast

from mabench.contract import Answer, Passage, Stats
from mabench.data import Question, Row
from mabench.data.evidence import Evidence
from mabench.families import Family
from mabench.injection import Script
from mabench.installation import cache_folder
from mabench.redact import redact_values
from mabench.results import RetrievedPassage, count_seconds
from mabench.runs.context import RunContext
from mabench.runs.conversation import Conversation
from mabench.scoring import answer_finder
from mabench.text import estimate_tokens

# Passages of a row that are read once, however many of its questions retrieve them.
_READ = 4096


class SavedMemory:
    """The memory of one row on disk, for agents that can save and load themselves.

    It lies in the run folder while the run is unfinished, so that a resumed run does not memorize
    the row again. With ``keep_memories`` it lies in the cache, where later runs find it by a hash
    of what it is built by, the agent with its code and model, and of all that it was told of the
    ``script``. A history that is asked in between is saved at each of its points.
    """

    def __init__(self, context: RunContext, row: Row, script: Script) -> None:
        self._lasting = context.spec.agent.keep_memories
        self._builder = context.inputs.builder
        self._own_place = context.store.path / "memories" / f"{row.split}-{row.index}"
        self._pieces = script.pieces
        self._points = sorted({*script.points, len(script.pieces)}, reverse=True)

    def _place(self, told: int) -> Path:
        """Return where the memory lies that was told so many pieces."""
        if not self._lasting:
            unfinished = f"-{told}" if told < len(self._pieces) else ""
            return self._own_place.with_name(f"{self._own_place.name}{unfinished}")
        digest = hashlib.sha256(self._builder.encode())
        for piece in self._pieces[:told]:
            digest.update(b"\0" + piece.text.encode("utf-8", "surrogatepass"))
            if piece.fields:
                digest.update(b"\1" + json.dumps({**piece.fields}, default=str).encode())
        return cache_folder() / "memories" / digest.hexdigest()

    async def load(self, agent: Conversation, most: int) -> int | None:
        """Let the agent load the latest memory that was told ``most`` pieces, or fewer.

        Returns how many it was told; None when there is none or it cannot load any. A memory that
        cannot be loaded stays until another takes its place. Whatever the agent raises is raised.
        """
        for point in self._points if agent.has("load") else ():
            if point <= most and (place := self._place(point)).is_dir():
                await agent.load(place)
                return point
        return None

    async def save(self, agent: Conversation, told: int) -> None:
        """Let the agent save its memory, if it can; a memory half saved is never found.

        Whatever the agent or the file system raises is raised.
        """
        if not agent.has("save") or not agent.has("load"):
            return
        place = self._place(told)
        part = place.with_name(f".{place.name}.part")
        shutil.rmtree(part, ignore_errors=True)
        try:
            part.mkdir(parents=True)
            await agent.save(part)
            shutil.rmtree(place, ignore_errors=True)
            part.replace(place)
        except Exception:
            shutil.rmtree(part, ignore_errors=True)
            raise
        self._forget([point for point in self._points if point < told])

    @property
    def consequence(self) -> str:
        """When a memory that could not be saved is missed, in words."""
        if self._lasting:
            return "a later run memorizes the row again"
        return "the row is memorized again if the run is stopped before its end"

    def drop(self) -> None:
        """Forget a memory that only the unfinished run had a use for."""
        self._forget(self._points)

    def _forget(self, points: Iterable[int]) -> None:
        for point in () if self._lasting else points:
            shutil.rmtree(self._place(point), ignore_errors=True)
        with suppress(OSError):  # Other memories lie there, or none did.
            self._own_place.parent.rmdir()


class MemoryGrowth:
    """Asks a memory what it holds before the first chunk and after each, for diagnosis alone.

    Where it cannot tell, or fails to, the figures are missing and nothing else changes. It notes
    how long adding took, and how long after that everything could be found.
    """

    def __init__(self, agent: Conversation) -> None:
        self.seconds = 0.0  # That its replies took, which is no part of what memorizing takes.
        self._agent = agent
        self._replies = True
        self._looks: list[Stats] = []
        self._adds: list[float] = []
        self._ready_seconds: float | None = None

    @property
    def stats(self) -> Stats:
        """What was held at the last look."""
        return self._looks[-1]

    async def look(self) -> None:
        """Ask what is held now; after a reply that took too long, the agent is asked no more."""
        stats, start = Stats(), time.perf_counter()
        try:
            if self._replies:
                stats = await self._agent.stats()
        except TimeoutError:
            self._replies = False  # It would hold up the row after every chunk.
        except Exception:  # noqa: S110 - the missing figures say so.
            pass
        self.seconds += time.perf_counter() - start
        self._looks.append(stats)

    def note_add(self) -> None:
        """Note how long the last call took, which added a text."""
        self._adds.append(self._agent.seconds)

    async def wait(self) -> None:
        """Wait until all that was added can be found, where the memory says when that is."""
        if self._agent.has("ready"):
            start = time.perf_counter()
            await self._agent.ready()
            self._ready_seconds = round(time.perf_counter() - start, 6)

    def times(self) -> dict[str, Any]:
        """Return what a record says of the time that adding took."""
        return {
            "adds": count_seconds(self._adds),
            "add_seconds": round(sum(self._adds), 6),
            "ready_seconds": self._ready_seconds,
        }

    def chunks_without_memory(self) -> int | None:
        """Return after how many chunks there were no more memories; None when it cannot tell.

        A memory that cannot tell before the first chunk is taken to hold nothing then.
        """
        counts = [stats.memories for stats in self._looks]
        if counts[-1] is None or None in counts[1:]:
            return None
        return sum(later <= earlier for earlier, later in pairwise(n or 0 for n in counts))


class RetrievalRecorder:
    """Records retrieved passages against the pieces that the agent was told.

    Pieces can be made again from the data and the protocol, so a passage that repeats one is
    stored as its index; a run over thousands of questions stays small that way. Where the agent
    ``searches`` for every answer, no passages mean that it found nothing.
    """

    def __init__(self, script: Script, row: Row, family: Family, searches: bool) -> None:
        told: defaultdict[str, set[str]] = defaultdict(set)
        for piece in script.pieces:
            if piece.turns:
                told[piece.text].update(piece.turns)
        self._evidence = Evidence(row, told)
        self._rewords = lru_cache(_READ)(self._evidence.rewords)
        self._family = family
        self._searches = searches
        self._points = script.points
        self._chunks = [piece.text for piece in script.pieces]
        self._index = {chunk: index for index, chunk in enumerate(self._chunks)}
        self._tokens = lru_cache(_READ)(estimate_tokens)
        self._finder = lru_cache(_READ)(answer_finder)

    def record(self, question: Question, answer: Answer) -> dict[str, Any]:
        """Return what a sample says of the passages retrieved for a question, by field name."""
        passages = cast("Sequence[Passage]", answer.retrieved)  # As ``answer_of`` makes them.
        texts = [passage.text for passage in passages]
        evidence = self._evidence.find(question.question_index, texts)
        by = rank = chunks = None
        if self._family.gold_in_text(question.answers):
            by = "mention"
            rank = next((i for i, text in enumerate(texts, 1) if self._holds(text, question)), None)
            told = self._chunks[: self._points[question.question_index]]
            chunks = tuple(i for i, text in enumerate(told) if self._holds(text, question))
        reworded = (text not in self._index and self._rewords(text) for text in texts)
        if evidence.evidence_ranks is not None and not any(reworded):
            by, rank = "evidence", evidence.complete_at
        return {
            "retrieved": [*map(self._store, passages)],
            **evidence._asdict(),
            "hit_by": by,
            "hit_rank": rank,
            "gold_chunks": chunks,
            "shown_tokens": sum(map(self._tokens, texts)) if texts or self._searches else None,
        }

    def _holds(self, text: str, question: Question) -> bool:
        return self._finder(text)(question.answers)

    def _store(self, passage: Passage) -> RetrievedPassage:
        index = self._index.get(passage.text)
        text = redact_values(passage.text) if index is None else None
        return RetrievedPassage(text, index, passage.score)
