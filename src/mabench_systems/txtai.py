"""txtai as a memory."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ._shared import Folder, SystemMemory, embed_on, embedding_server, require

# The query is bound, never parsed: txtai takes a query that looks like SQL for SQL.
_SEARCH = "select text, score from txtai where similar(:query)"


class TxtaiMemory(SystemMemory):
    """txtai as a memory: finds texts by their vectors in an index that holds them too.

    The index is in memory with its texts in a temporary SQLite database, as txtai keeps an index
    that has not been saved.

    Args:
        model, embeddings, embeddings_url: see ``SystemMemory``; no language model is asked.
        hybrid: Whether words count as well as vectors; False is txtai's default.

    A text that is not like the query at all, with a score of 0 or less, is not found.
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
        txtai = require("txtai", "txtai")
        server = embedding_server(embeddings, embeddings_url, model)
        vectors: dict[str, Any] = {"path": embeddings}
        if server is not None:
            vectors = {"method": "external", "transform": embed_on(server, "txtai")}
        self._settings = {"content": True, "hybrid": hybrid, **vectors}
        self._index: Any = txtai.Embeddings(self._settings)
        self._folder = Folder("txtai")

    def _add(self, text: str) -> None:
        self._index.upsert([text])

    def _search(self, query: str, k: int) -> list[Any]:
        if not self._index.count():
            return []
        hits = self._index.search(_SEARCH, k, parameters={"query": query})
        return [{"text": hit["text"], "score": hit["score"]} for hit in hits]

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
