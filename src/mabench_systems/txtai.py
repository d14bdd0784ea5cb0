"""txtai as a memory."""

from __future__ import annotations

import json
import shutil
import threading
import uuid
from collections.abc import Iterable, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from .shared import Fields, Found, SystemMemory, make_folder

# The query is a bound parameter: txtai would run a query that looks like SQL.
_SELECT = "select id, text, score from txtai"
_WHERE = {"query": "similar(:query, :many)", "owner": "owner = :owner", "at": "at <= :at"}
_TOLD = "told.json"


class TxtaiMemory(SystemMemory, native="time user update delete list"):
    """txtai as a memory: finds texts by their vectors in an index that holds them too.

    The index is in memory with its texts in a temporary SQLite database, as txtai keeps an index
    that has not been saved. It is used by one thread at a time, as by txtai's own API.

    Args:
        model, embeddings, embeddings_url: see ``SystemMemory``; no language model is asked.
        hybrid: Whether words count as well as vectors; False is txtai's default.

    A text that is not like the query at all, with a score of 0 or less, is not found. Times and
    users are columns of txtai's database, by which its SQL filters.
    """

    mabench_capabilities = {"module": "txtai", "extra": "txtai"}

    def _open(self, *, hybrid: bool = False) -> None:
        txtai = self._import("txtai")
        vectors: dict[str, Any] = {"path": self._embeddings}
        if self._server is not None:
            vectors = {"method": "external", "transform": self._embedder()}
        self._settings = {"content": True, "hybrid": hybrid, **vectors}
        self._index: Any = txtai.Embeddings(self._settings)
        self._saved = make_folder("txtai")
        # The database does not lock, and searches write to it as well.
        self._turn = threading.RLock()

    def _store(self, text: str, told: Fields) -> Sequence[str]:
        return self._replace(uuid.uuid4().hex, text, told)

    def _replace(self, id: str, text: str, told: Fields) -> Sequence[str]:
        row = {"text": text, "owner": told.owner, "at": told.at}
        self._index.upsert([(id, row)])
        return [id]

    def _find(self, query: str | None, k: int, asked: Fields) -> Iterable[Found]:
        held = self._index.count()
        if not held:
            return []
        bound: dict[str, Any] = {}
        if query:
            # Filters are applied after the search by meaning, which must then find all texts.
            bound = {"query": query, "many": held if any(asked) else k}
        if asked.user is not None:
            bound["owner"] = asked.owner
        if asked.time is not None:
            bound["at"] = asked.at
        clauses = " and ".join(clause for name, clause in _WHERE.items() if name in bound)
        select = f"{_SELECT} where {clauses}" if clauses else _SELECT
        rows = self._index.search(select, min(k, held), parameters=bound)
        return [Found(row["text"], row["score"], [row["id"]]) for row in rows]

    def _forget(self, id: str, told: Fields) -> None:
        self._index.delete([id])

    def _count(self) -> int:
        return int(self._index.count())

    def save(self, folder: Path) -> None:
        """Write the index to a folder."""
        if self._index.count():
            # An index keeps writing where it was saved, so save it elsewhere and copy it.
            own = self._saved / "index"
            with self._turn:
                self._index.save(str(own))
                shutil.copytree(own, folder, dirs_exist_ok=True)
            (Path(folder) / _TOLD).write_text(json.dumps(self._texts, default=str), "utf-8")

    def load(self, folder: Path) -> None:
        """Read the index from a folder that ``save`` wrote."""
        if (Path(folder) / "config.json").exists():
            own = self._saved / "index"
            shutil.copytree(folder, own, dirs_exist_ok=True)
            self._index.load(str(own), config=self._settings)
            told = json.loads((Path(folder) / _TOLD).read_text("utf-8"))
            for id, (ids, (time, *rest)) in told.items():
                self._note(id, ids, Fields(time and datetime.fromisoformat(time), *rest))

    def _end(self) -> None:
        self._index.close()
        shutil.rmtree(self._saved, ignore_errors=True)
