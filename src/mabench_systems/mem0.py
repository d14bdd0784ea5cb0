"""mem0 as a memory.

``Mem0Memory`` defines the methods that ``shared/memory.py`` calls: ``_store``, ``_find`` and so on.
Their ``fields`` are the user, the time and so on of a text, and ``limits`` are those that a search
is limited to.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from importlib import import_module
from typing import Any

from .shared import Fields, Found, SystemMemory, make_folder

_COLLECTION = "memories"
# mem0 requires a model even where it never calls one.
_NO_MODEL = {"name": "none", "base_url": "http://127.0.0.1:9/v1", "api_key": "none"}


class Mem0Memory(SystemMemory, native="session user update delete list", emulated="time"):
    """mem0 as a memory: with a model it extracts memories, without one it stores texts as they are.

    Vectors are in a local Qdrant in a folder of the instance's own, mem0's default store. A user is
    mem0's ``user_id``, a session its ``run_id``. The open mem0 refuses times of one's own: a time
    is metadata that searches filter by, and is in the instructions to the model.

    Args:
        model, embeddings, embeddings_url: see ``SystemMemory``. With a model, texts are added
            with ``infer=True``, mem0's default; without one with ``infer=False``.
        threshold: Memories that score less are not found; 0.1 is mem0's default.
        max_tokens: How long an extraction may be; 2000 is mem0's default. What a longer one
            would have held is lost.
    """

    mabench_capabilities = {"module": "mem0", "extra": "mem0"}

    def _open(self, *, threshold: float = 0.1, max_tokens: int = 2000) -> None:
        """Make an empty memory of mem0's in a folder of its own."""
        self._threshold = threshold
        self._folder = make_folder("mem0")
        # Turn telemetry off, and keep everything out of the home folder.
        os.environ["MEM0_TELEMETRY"] = "False"
        os.environ.setdefault("MEM0_DIR", str(self._folder / "home"))
        mem0 = self._import("mem0")
        embedder = self._embedder_config()
        # We make the client, so that it can be closed and used by several threads.
        self._client: Any = import_module("qdrant_client").QdrantClient(
            path=str(self._folder / "qdrant"), force_disable_check_same_thread=True
        )
        store = {
            "collection_name": _COLLECTION,
            "embedding_model_dims": _dimensions(embedder),
            "client": self._client,
        }
        model = self._model or _NO_MODEL
        # mem0's provider "openai" uses another server if OPENROUTER_API_KEY is set. "vllm" is its
        # name for any compatible server.
        llm = {
            "model": model["name"],
            "vllm_base_url": model["base_url"],
            "api_key": model["api_key"],
            "max_tokens": max_tokens,
        }
        self._memory: Any = mem0.Memory.from_config(
            {
                "vector_store": {"provider": "qdrant", "config": store},
                "embedder": embedder,
                "llm": {"provider": "vllm", "config": llm},
                "history_db_path": str(self._folder / "history.db"),
            }
        )

    def _embedder_config(self) -> dict[str, Any]:
        """Return mem0's configuration of an embedding model, on a server or a local one."""
        server = self._server
        if server is None:
            return {"provider": "huggingface", "config": {"model": self._embeddings}}
        config = {"model": server.name, "openai_base_url": server.url, "api_key": server.key}
        known = {name: value for name, value in config.items() if value is not None}
        return {"provider": "openai", "config": known}

    def _store(self, text: str, fields: Fields) -> Sequence[str]:
        """Add a text, from which mem0 extracts memories if it has a model; return their ids."""
        session, time = fields.session, fields.time
        added = self._memory.add(
            text,
            user_id=fields.owner,
            run_id="-".join(session.split()) if session else session,
            metadata={"at": fields.at},
            infer=self._model is not None,
            prompt=None if time is None else f"The observation date is {time.isoformat()}.",
        )
        return [memory["id"] for memory in added["results"]]

    def _find(self, query: str | None, k: int, limits: Fields) -> Iterable[Found]:
        """Return the memories nearest to a query; without a query, all that the limits allow."""
        filters: dict[str, Any] = {"user_id": "*" if limits.user is None else limits.owner}
        if limits.time is not None:
            filters["at"] = {"lte": limits.at}
        if query is None:
            limit = max(self._count(), 1)  # By default, mem0 lists only 20.
            hits = self._memory.get_all(filters=filters, top_k=limit)
        else:
            hits = self._memory.search(query, top_k=k, filters=filters, threshold=self._threshold)
        return [Found(hit["memory"], hit.get("score"), [hit["id"]]) for hit in hits["results"]]

    def _replace(self, id: str, text: str, fields: Fields) -> Sequence[str]:
        """Replace the words and the time of the memory with an id, without asking a model."""
        self._memory.update(id, text=text, metadata={"at": fields.at})
        return [id]

    def _forget(self, id: str, fields: Fields) -> None:
        """Delete the memory with an id."""
        self._memory.delete(id)

    def _count(self) -> int:
        """Return the number of memories."""
        return int(self._client.count(_COLLECTION).count)

    def _end(self) -> None:
        """Close mem0 and its store."""
        self._memory.close()
        self._client.close()


def _dimensions(embedder: dict[str, Any]) -> int:
    """Return the length of the vectors of an embedding model, by embedding a text with it."""
    factory = import_module("mem0.utils.factory").EmbedderFactory
    model = factory.create(embedder["provider"], embedder["config"], None)
    return len(model.embed("how many dimensions"))
