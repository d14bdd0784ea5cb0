"""txtai as a memory."""

from __future__ import annotations

import shutil
import uuid
from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from ._shared import (
    Folder,
    SystemMemory,
    embed_on,
    embedding_server,
    key_of,
    passage,
    require,
    stamp_of,
    unknown,
)

_SELECT = "select id, text, time, at, owner, score from txtai"


class TxtaiMemory(SystemMemory):
    """txtai as a memory: finds texts by their vectors in an index that holds them too.

    The index is in memory with its texts in a temporary SQLite database, as txtai keeps an index
    that has not been saved.

    Args:
        model, embeddings, embeddings_url: see ``SystemMemory``; no language model is asked.
        hybrid: Whether words count as well as vectors; False is txtai's default.

    A text that is not like the query at all, with a score of 0 or less, is not found. Time and user
    are columns of txtai's database, by which its SQL filters.
    """

    mabench_capabilities = {"module": "txtai", "extra": "txtai"}
    mabench_support = {
        "time": "native",
        "user": "native",
        "update": "native",
        "delete": "native",
        "list": "native",
    }

    def __init__(
        self,
        *,
        model: Mapping[str, str] | None = None,
        embeddings: str = "sentence-transformers/all-MiniLM-L6-v2",
        embeddings_url: str | None = None,
        hybrid: bool = False,
    ) -> None:
        txtai = require("txtai", "txtai")
        server = embedding_server(embeddings, embeddings_url, model)
        vectors: dict[str, Any] = {"path": embeddings}
        if server is not None:
            vectors = {"method": "external", "transform": embed_on(server, "txtai")}
        self._settings = {"content": True, "hybrid": hybrid, **vectors}
        self._index: Any = txtai.Embeddings(self._settings)
        self._folder = Folder("txtai")

    def add(
        self, text: str, *, time: datetime | None = None, user: str | None = None
    ) -> str | None:
        """Store a text and return its id."""
        if not (text := self._storable(text)):
            return None
        id = uuid.uuid4().hex
        self._index.upsert([(id, {"text": text, "owner": key_of(user), **stamp_of(time)})])
        return id

    def search(
        self, query: str, k: int, *, time: datetime | None = None, user: str | None = None
    ) -> Sequence[Any]:
        """Return up to ``k`` texts, those up to a time, the best first."""
        if k <= 0 or not (query := self._storable(query)):
            return []
        # Filters come after the search by meaning: it must find all texts for them.
        many = k if time is None and user is None else self._index.count()
        hits = self._select(k, query=query, many=many, at=time and time.timestamp(), user=user)
        return [passage(hit["text"], hit["score"], hit["time"]) for hit in hits]

    def update(self, id: str, text: str, *, time: datetime | None = None) -> None:
        """Store another text in place of one, with its time unless another is given."""
        [old] = self._select(1, id=id) or [None]
        if old is None:
            raise unknown(id)
        stamp = stamp_of(time) if time else {"time": old["time"], "at": old["at"]}
        self._index.upsert([(id, {"text": self._clean(text), "owner": old["owner"], **stamp})])

    def delete(self, *, id: str | None = None, user: str | None = None) -> None:
        """Forget a text, or all of a user."""
        if id is not None and not self._index.delete([id]):
            raise unknown(id)
        if id is None and user is not None:
            self._index.delete([hit["id"] for hit in self._select(self._index.count(), user=user)])

    def list(self, *, user: str | None = None) -> Sequence[Any]:
        """Return the texts of a user, or all."""
        held = self._select(self._index.count(), user=user)
        return [passage(one["text"], None, one["time"]) for one in held]

    def _select(
        self,
        most: int,
        *,
        query: str | None = None,
        many: int = 0,
        id: str | None = None,
        user: str | None = None,
        at: float | None = None,
    ) -> Sequence[Any]:
        """Return rows of the database, with all that is given bound and never parsed."""
        if not self._index.count():
            return []
        owner = None if user is None else key_of(user)
        given = {
            "similar(:query, :many)": {"query": query, "many": many},
            "id = :id": {"id": id},
            "owner = :owner": {"owner": owner},
            "at <= :at": {"at": at},
        }
        chosen = {clause: values for clause, values in given.items() if None not in values.values()}
        where = f" where {' and '.join(chosen)}" if chosen else ""
        bound = {name: value for values in chosen.values() for name, value in values.items()}
        return list(self._index.search(_SELECT + where, most, parameters=bound))

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

    def load(self, folder: Path) -> None:
        """Read the index from a folder that ``save`` wrote."""
        if (Path(folder) / "config.json").exists():
            own = self._folder.path / "index"
            shutil.copytree(folder, own, dirs_exist_ok=True)
            self._index.load(str(own), config=self._settings)

    def close(self) -> None:
        """Close the index and delete what it wrote."""
        self._index.close()
        self._folder.remove()
