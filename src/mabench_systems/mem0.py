"""mem0 as a memory."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from importlib import import_module
from typing import Any

from .shared import Fields, Found, SystemMemory, make_folder

_COLLECTION = "memories"


class Mem0Memory(SystemMemory, native="session user update delete list", emulated="time"):
    """mem0 as a memory: with a model it extracts memories, without one it stores texts as they are.

    Vectors lie in a local Qdrant in a folder of the instance's own, mem0's default store. A user is
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
        self._threshold = threshold
        self._folder = make_folder("mem0")
        # Turn telemetry off, and keep everything out of the home folder.
        os.environ["MEM0_TELEMETRY"] = "False"
        os.environ.setdefault("MEM0_DIR", str(self._folder / "home"))
        mem0 = self._import("mem0")
        embedder: dict[str, Any] = {"provider": "huggingface"}
        config: dict[str, str | None] = {"model": self._embeddings}
        server = self._server
        if server is not None:
            embedder = {"provider": "openai"}
            config = {"model": server.name, "openai_base_url": server.url, "api_key": server.key}
        embedder["config"] = {name: value for name, value in config.items() if value is not None}
        factory = import_module("mem0.utils.factory").EmbedderFactory
        own_embedder = factory.create(embedder["provider"], embedder["config"], None)
        # We make the client, so that it can be closed and used by several threads.
        self._client: Any = import_module("qdrant_client").QdrantClient(
            path=str(self._folder / "qdrant"), force_disable_check_same_thread=True
        )
        store = {
            "collection_name": _COLLECTION,
            "embedding_model_dims": len(own_embedder.embed("how many dimensions")),
            "client": self._client,
        }
        # Required even without a model, and then never called.
        placeholder = {"name": "none", "base_url": "http://127.0.0.1:9/v1", "api_key": "none"}
        model = self._model or placeholder
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

    def _store(self, text: str, told: Fields) -> Sequence[str]:
        added = self._memory.add(
            text,
            user_id=told.owner,
            run_id=told.session and "-".join(told.session.split()),
            metadata={"at": told.at},
            infer=self._model is not None,
            prompt=told.time and f"The observation date is {told.time.isoformat()}.",
        )
        return [one["id"] for one in added["results"]]

    def _find(self, query: str | None, k: int, asked: Fields) -> Iterable[Found]:
        filters: dict[str, Any] = {"user_id": "*" if asked.user is None else asked.owner}
        if asked.time is not None:
            filters["at"] = {"lte": asked.at}
        if query is None:
            many = max(self._count(), 1)  # By default, mem0 lists only 20.
            hits = self._memory.get_all(filters=filters, top_k=many)
        else:
            hits = self._memory.search(query, top_k=k, filters=filters, threshold=self._threshold)
        return [Found(hit["memory"], hit.get("score"), [hit["id"]]) for hit in hits["results"]]

    def _replace(self, id: str, text: str, told: Fields) -> Sequence[str]:
        self._memory.update(id, text=text, metadata={"at": told.at})
        return [id]

    def _forget(self, id: str, told: Fields) -> None:
        self._memory.delete(id)

    def _count(self) -> int:
        return int(self._client.count(_COLLECTION).count)

    def _end(self) -> None:
        self._memory.close()
        self._client.close()
