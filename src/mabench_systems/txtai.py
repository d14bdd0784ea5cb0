"""txtai as a memory."""

from __future__ import annotations

import json
import shutil
import uuid
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from ._shared import Fields, Folder, Found, SystemMemory, embed_on, embedding_server, require

# The query is bound, never parsed: txtai takes a query that looks like SQL for SQL.
_SELECT = "select id, text, score from txtai"
_WHERE = {"query": "similar(:query, :many)", "owner": "owner = :owner", "at": "at <= :at"}
_TOLD = "told.json"


class TxtaiMemory(SystemMemory, native="time user update delete list"):
    """txtai as a memory: finds texts by their vectors in an index that holds them too.

    The index is in memory with its texts in a temporary SQLite database, as txtai keeps an index
    that has not been saved.

    Args:
        model, embeddings, embeddings_url: see ``SystemMemory``; no language model is asked.
        hybrid: Whether words count as well as vectors; False is txtai's default.

    A text that is not like the query at all, with a score of 0 or less, is not found. Times and
    users are columns of txtai's database, by which its SQL filters.
    """

    mabench_capabilities = {"module": "txtai", "extra": "txtai"}

    def __init__(
        self,
        *,
        model: Mapping[str, str] | None = None,
        embeddings: str = "sentence-transformers/all-MiniLM-L6-v2",
        embeddings_url: str | None = None,
        hybrid: bool = False,
    ) -> None:
        super().__init__()
        txtai = require("txtai", "txtai")
        server = embedding_server(embeddings, embeddings_url, model)
        vectors: dict[str, Any] = {"path": embeddings}
        if server is not None:
            vectors = {"method": "external", "transform": embed_on(server, "txtai")}
        self._settings = {"content": True, "hybrid": hybrid, **vectors}
        self._index: Any = txtai.Embeddings(self._settings)
        self._folder = Folder("txtai")

    def _store(self, text: str, told: Fields) -> Sequence[str]:
        return self._replace(uuid.uuid4().hex, text, told)

    def _replace(self, id: str, text: str, told: Fields) -> Sequence[str]:
        row = {"text": text, "owner": told.owner, "at": told.at}
        self._index.upsert([(id, row)])
        return [id]

    def _find(self, query: str, k: int, asked: Fields) -> Iterable[Found]:
        # Filters come after the search by meaning: it must find all texts for them.
        bound = {"query": query, "many": self._index.count() if any(asked) else k}
        if asked.time is not None:
            bound["at"] = asked.at
        return self._select(k, asked, bound)

    def _forget(self, id: str, told: Fields) -> None:
        self._index.delete([id])

    def _held(self, asked: Fields) -> Iterable[Found]:
        return [one._replace(score=None) for one in self._select(self._index.count(), asked, {})]

    def _select(self, most: int, asked: Fields, bound: Mapping[str, Any]) -> Sequence[Found]:
        if not self._index.count():
            return []
        bound = {**bound, **({} if asked.user is None else {"owner": asked.owner})}
        clauses = " and ".join(clause for name, clause in _WHERE.items() if name in bound)
        query = f"{_SELECT} where {clauses}" if clauses else _SELECT
        rows = self._index.search(query, most, parameters=bound)
        return [Found(row["text"], row["score"], [row["id"]]) for row in rows]

    def stats(self) -> dict[str, int]:
        """Return how many texts there are."""
        return {"memories": self._index.count()}

    def save(self, folder: Path) -> None:
        """Write the index to a folder."""
        if self._index.count():
            # An index goes on writing where it was saved, so it is saved in a place of its own.
            own = self._folder.path / "index"
            self._index.save(str(own))
            shutil.copytree(own, folder, dirs_exist_ok=True)
            (Path(folder) / _TOLD).write_text(json.dumps(self._texts, default=str), "utf-8")

    def load(self, folder: Path) -> None:
        """Read the index from a folder that ``save`` wrote."""
        if (Path(folder) / "config.json").exists():
            own = self._folder.path / "index"
            shutil.copytree(folder, own, dirs_exist_ok=True)
            self._index.load(str(own), config=self._settings)
            told = json.loads((Path(folder) / _TOLD).read_text("utf-8"))
            for id, (ids, (time, *rest)) in told.items():
                self._note(id, ids, Fields(time and datetime.fromisoformat(time), *rest))

    def close(self) -> None:
        """Close the index and delete what it wrote."""
        self._index.close()
        self._folder.remove()
