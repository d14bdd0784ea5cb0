"""LlamaIndex's memory as a memory.

``LlamaIndexMemory`` defines the methods that ``shared/memory.py`` calls: ``_store``, ``_find`` and
so on. Their ``fields`` are the user, the time and so on of a text, and ``limits`` are those that a
search is limited to.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from .shared import EventLoop, Fields, Found, SystemMemory, make_folder

_COLLECTION = "memories"
# A block of memory writes these around a user's message.
_BEFORE = "<message role='user'>"
_AFTER = "</message>"


class LlamaIndexMemory(SystemMemory, native="session delete list", emulated="time user update"):
    """LlamaIndex's ``VectorMemoryBlock`` as a memory: finds messages by their vectors.

    ``Memory`` keeps recent messages in a queue that cannot be searched, and hands those that no
    longer fit to its blocks; here each text goes to the block's store at once, as the block writes
    it: a local Qdrant in a folder of the instance's own. The block knows sessions; users and times
    are metadata beside them.

    Args:
        model, embeddings, embeddings_url: see ``SystemMemory``; no language model is asked.
    """

    mabench_capabilities = {"module": "llama_index.vector_stores.qdrant", "extra": "llama-index"}

    def _open(self) -> None:
        """Make an empty store of vectors, and a client for the embedding model."""
        self._import("llama_index.core.memory")
        qdrant = self._import("llama_index.vector_stores.qdrant")
        self._types: Any = self._import("llama_index.core.vector_stores.types")
        self._node: Any = self._import("llama_index.core.schema").TextNode
        # The block is asynchronous, and its clients belong to one event loop.
        self._loop = EventLoop()
        self._wait = self._loop.run
        self._http: Any = self._import("httpx").AsyncClient()
        self._embedder_client: Any = self._make_embedder_client()
        self._folder = make_folder("llama_index")
        self._client: Any = self._import("qdrant_client").AsyncQdrantClient(
            path=str(self._folder), force_disable_check_same_thread=True
        )
        self._vectors: Any = qdrant.QdrantVectorStore(_COLLECTION, aclient=self._client)

    def _make_embedder_client(self) -> Any:
        """Return LlamaIndex's client for embeddings, by a server or by a local model."""
        server = self._server
        if server is None:
            huggingface = self._import("llama_index.embeddings.huggingface")
            return huggingface.HuggingFaceEmbedding(model_name=self._embeddings)
        settings: dict[str, Any] = {"model_name": server.name, "async_http_client": self._http}
        if server.url is not None:
            settings |= {"api_base": server.url, "api_key": server.key or "none"}
        return self._import("llama_index.embeddings.openai_like").OpenAILikeEmbedding(**settings)

    async def _store(self, text: str, fields: Fields) -> Sequence[str]:
        """Add a text with its vector and its fields to the store, and return its id."""
        metadata = {"session_id": fields.session, "user": fields.owner, "at": fields.at}
        node = self._node(text=f"{_BEFORE}{text}{_AFTER}", metadata=metadata)
        node.embedding = await self._embedder_client.aget_text_embedding(node.text)
        return list(await self._vectors.async_add([node]))

    async def _find(self, query: str | None, k: int, limits: Fields) -> Iterable[Found]:
        """Return the texts nearest to a query; without a query, all that the limits allow.

        This searches the store as the block's ``aget`` does, which would join all texts into one.
        """
        if not self._texts:
            return []
        filters = self._filters(limits)
        if query is None:
            nodes = await self._vectors.aget_nodes(None, filters, limit=k)
            return [_found(node) for node in nodes]
        vector_query = self._types.VectorStoreQuery(
            query_str=query,
            query_embedding=await self._embedder_client.aget_query_embedding(query),
            similarity_top_k=k,
            filters=filters,
        )
        hits = await self._vectors.aquery(vector_query)
        return map(_found, hits.nodes, hits.similarities)

    def _filters(self, limits: Fields) -> Any:
        """Return LlamaIndex's filters for the user and the time of a search; None for neither."""
        conditions = []
        if limits.user is not None:
            conditions.append(self._types.MetadataFilter(key="user", value=limits.owner))
        if limits.time is not None:
            is_not_later = self._types.MetadataFilter(key="at", value=limits.at, operator="<=")
            conditions.append(is_not_later)
        return self._types.MetadataFilters(filters=conditions) if conditions else None

    async def _forget(self, id: str, fields: Fields) -> None:
        """Delete the text with an id."""
        await self._vectors.adelete_nodes([id])

    async def _end(self) -> None:
        """Close the clients of the store and of the embedding server."""
        await self._client.close()
        await self._http.aclose()


def _found(node: Any, score: float | None = None) -> Found:
    """Return a node of the store as a found text, without what the block writes around it."""
    text = node.get_content().removeprefix(_BEFORE).removesuffix(_AFTER)
    return Found(text, score, [node.node_id])
