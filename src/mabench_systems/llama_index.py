"""LlamaIndex's memory as a memory."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from ._shared import EventLoop, Folder, SystemMemory, embedding_server, require

_COLLECTION = "memories"
# What a block of memory writes around a message of a user.
_BEFORE = "<message role='user'>"
_AFTER = "</message>"
_import = partial(require, extra="llama-index")


class LlamaIndexMemory(SystemMemory):
    """LlamaIndex's ``VectorMemoryBlock`` as a memory: finds messages by their vectors.

    ``Memory`` keeps recent messages in a queue that cannot be searched, and hands those that no
    longer fit to its blocks; here each text goes to the block at once, in a local Qdrant in a
    folder of the instance's own.

    Args:
        model, embeddings, embeddings_url: see ``SystemMemory``; no language model is asked.
    """

    mabench_capabilities = {
        "module": "llama_index.vector_stores.qdrant",
        "extra": "llama-index",
    }

    def __init__(
        self,
        *,
        model: Mapping[str, str] | None = None,
        embeddings: str = "sentence-transformers/all-MiniLM-L6-v2",
        embeddings_url: str | None = None,
    ) -> None:
        memory = _import("llama_index.core.memory")
        qdrant = _import("llama_index.vector_stores.qdrant")
        self._types: Any = _import("llama_index.core.vector_stores.types")
        self._message: Any = _import("llama_index.core.llms").ChatMessage
        # The block is asynchronous only, and its clients belong to one event loop, whoever calls.
        self._loop = EventLoop()
        self._wait = self._loop.run
        self._http: Any = _import("httpx").AsyncClient()
        self._embedder: Any = _embedder(embeddings, embeddings_url, model, self._http)
        self._folder = Folder("llama_index")
        self._client: Any = _import("qdrant_client").AsyncQdrantClient(
            path=str(self._folder.path), force_disable_check_same_thread=True
        )
        self._store: Any = qdrant.QdrantVectorStore(_COLLECTION, aclient=self._client)
        self._block: Any = memory.VectorMemoryBlock(
            vector_store=self._store, embed_model=self._embedder
        )
        self._memories = 0

    def _add(self, text: str) -> None:
        self._wait(self._block.aput([self._message(role="user", content=text)]))
        self._memories += 1

    def _search(self, query: str, k: int) -> list[Any]:
        """Ask the block's store as ``aget`` does, which joins what it finds into one string."""
        if not self._memories:
            return []
        vector_query = self._types.VectorStoreQuery(
            query_str=query,
            query_embedding=self._wait(self._embedder.aget_query_embedding(query)),
            similarity_top_k=k,
        )
        hits = self._wait(self._store.aquery(vector_query))
        return [
            {"text": node.get_content().removeprefix(_BEFORE).removesuffix(_AFTER), "score": score}
            for node, score in zip(hits.nodes, hits.similarities, strict=True)
        ]

    def stats(self) -> dict[str, int]:
        """Return how many messages there are, and how many bytes they take on disk."""
        return {"memories": self._memories, "bytes": self._folder.bytes()}

    def close(self) -> None:
        """Close the store and delete what it wrote."""
        if not self._loop.is_closed:
            self._wait(self._client.close())
            self._wait(self._http.aclose())
            self._loop.close()
        self._folder.remove()


def _embedder(name: str, url: str | None, model: Mapping[str, str] | None, http: Any) -> Any:
    server = embedding_server(name, url, model)
    if server is None:
        huggingface = _import("llama_index.embeddings.huggingface")
        return huggingface.HuggingFaceEmbedding(model_name=name)
    settings: dict[str, Any] = {"model_name": server.name, "async_http_client": http}
    if server.url is not None:
        settings |= {"api_base": server.url, "api_key": server.key or "none"}
    return _import("llama_index.embeddings.openai_like").OpenAILikeEmbedding(**settings)
