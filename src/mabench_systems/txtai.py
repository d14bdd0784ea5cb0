"""txtai as a memory.

``TxtaiMemory`` defines the methods that ``shared/memory.py`` calls: ``_store``, ``_find`` and so
on. Their ``fields`` are the user, the time and so on of a text, and ``limits`` are those that a
search is limited to.
"""

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

_SELECT = "select id, text, score from txtai"
# The conditions of a search by what they are about. ``:query`` and the like are bound parameters:
# txtai would run a query that looks like SQL.
_CONDITIONS = {"query": "similar(:query, :many)", "owner": "owner = :owner", "at": "at <= :at"}
_FIELDS_FILE = "told.json"  # Beside a saved index: what is known of its texts.


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
        """Make an empty index."""
        txtai = self._import("txtai")
        vectors: dict[str, Any] = {"path": self._embeddings}
        if self._server is not None:
            vectors = {"method": "external", "transform": self._embedder()}
        self._settings = {"content": True, "hybrid": hybrid, **vectors}
        self._index: Any = txtai.Embeddings(self._settings)
        self._saved = make_folder("txtai")
        # The database does not lock, and searches write to it as well.
        self._lock = threading.RLock()

    def _store(self, text: str, fields: Fields) -> Sequence[str]:
        """Put a text into the index under a new id, and return it."""
        return self._replace(uuid.uuid4().hex, text, fields)

    def _replace(self, id: str, text: str, fields: Fields) -> Sequence[str]:
        """Put a text into the index under an id, in place of the one that it had."""
        row = {"text": text, "owner": fields.owner, "at": fields.at}
        self._index.upsert([(id, row)])
        return [id]

    def _find(self, query: str | None, k: int, limits: Fields) -> Iterable[Found]:
        """Return the texts nearest to a query; without a query, all that the limits allow."""
        text_count = self._index.count()
        if text_count == 0:
            return []
        parameters: dict[str, Any] = {}
        if query:
            # Filters are applied after the search by meaning, which must then find all texts.
            is_limited = any(limits)
            parameters = {"query": query, "many": text_count if is_limited else k}
        if limits.user is not None:
            parameters["owner"] = limits.owner
        if limits.time is not None:
            parameters["at"] = limits.at
        conditions = [sql for name, sql in _CONDITIONS.items() if name in parameters]
        select = f"{_SELECT} where {' and '.join(conditions)}" if conditions else _SELECT
        rows = self._index.search(select, min(k, text_count), parameters=parameters)
        return [Found(row["text"], row["score"], [row["id"]]) for row in rows]

    def _forget(self, id: str, fields: Fields) -> None:
        """Delete the text with an id."""
        self._index.delete([id])

    def _count(self) -> int:
        """Return the number of texts in the index."""
        return int(self._index.count())

    def save(self, folder: Path) -> None:
        """Write the index to a folder, with what is known of its texts; nothing if it is empty."""
        if self._index.count() == 0:
            return
        # An index keeps writing where it was saved, so save it elsewhere and copy it.
        own_copy = self._saved / "index"
        with self._lock:
            self._index.save(str(own_copy))
            shutil.copytree(own_copy, folder, dirs_exist_ok=True)
        texts = json.dumps(self._texts, default=str)
        (Path(folder) / _FIELDS_FILE).write_text(texts, "utf-8")

    def load(self, folder: Path) -> None:
        """Read the index from a folder that ``save`` wrote, which is without files if empty."""
        if not (Path(folder) / "config.json").exists():
            return
        own_copy = self._saved / "index"
        shutil.copytree(folder, own_copy, dirs_exist_ok=True)
        self._index.load(str(own_copy), config=self._settings)
        texts = json.loads((Path(folder) / _FIELDS_FILE).read_text("utf-8"))
        # As ``SystemMemory`` keeps them: the system's ids, and the fields of which time is first.
        for id, (system_ids, (time, *others)) in texts.items():
            moment = None if time is None else datetime.fromisoformat(time)
            self._remember(id, system_ids, Fields(moment, *others))

    def _end(self) -> None:
        """Close the index and remove its copies."""
        self._index.close()
        shutil.rmtree(self._saved, ignore_errors=True)
