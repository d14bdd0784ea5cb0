"""LlamaIndex's memory as a memory."""

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
        self._import("llama_index.core.memory")
        qdrant = self._import("llama_index.vector_stores.qdrant")
        self._types: Any = self._import("llama_index.core.vector_stores.types")
        self._node: Any = self._import("llama_index.core.schema").TextNode
        # The block is asynchronous, and its clients belong to one event loop.
        self._loop = EventLoop()
        self._wait = self._loop.run
        self._http: Any = self._import("httpx").AsyncClient()
        self._encoder: Any = self._make_encoder()
        self._folder = make_folder("llama_index")
        self._client: Any = self._import("qdrant_client").AsyncQdrantClient(
            path=str(self._folder), force_disable_check_same_thread=True
        )
        self._vectors: Any = qdrant.QdrantVectorStore(_COLLECTION, aclient=self._client)

    def _make_encoder(self) -> Any:
        """Return LlamaIndex's client for embeddings, by a server or by a local model."""
        server = self._server
        if server is None:
            huggingface = self._import("llama_index.embeddings.huggingface")
            return huggingface.HuggingFaceEmbedding(model_name=self._embeddings)
        settings: dict[str, Any] = {"model_name": server.name, "async_http_client": self._http}
        if server.url is not None:
            settings |= {"api_base": server.url, "api_key": server.key or "none"}
        return self._import("llama_index.embeddings.openai_like").OpenAILikeEmbedding(**settings)

    async def _store(self, text: str, told: Fields) -> Sequence[str]:
        owned = {"session_id": told.session, "user": told.owner, "at": told.at}
        node = self._node(text=f"{_BEFORE}{text}{_AFTER}", metadata=owned)
        node.embedding = await self._encoder.aget_text_embedding(node.text)
        return list(await self._vectors.async_add([node]))

    async def _find(self, query: str | None, k: int, asked: Fields) -> Iterable[Found]:
        """Search the block's store as ``aget`` does, which would join all texts into one string."""
        if not self._texts:
            return []
        wanted: list[dict[str, Any]] = []
        if asked.user is not None:
            wanted.append({"key": "user", "value": asked.owner})
        if asked.time is not None:
            wanted.append({"key": "at", "value": asked.at, "operator": "<="})
        conditions = [self._types.MetadataFilter(**each) for each in wanted]
        filters = self._types.MetadataFilters(filters=conditions) if conditions else None
        if query is None:
            return map(_found, await self._vectors.aget_nodes(None, filters, limit=k))
        vector_query = self._types.VectorStoreQuery(
            query_str=query,
            query_embedding=await self._encoder.aget_query_embedding(query),
            similarity_top_k=k,
            filters=filters,
        )
        hits = await self._vectors.aquery(vector_query)
        return map(_found, hits.nodes, hits.similarities)

    async def _forget(self, id: str, told: Fields) -> None:
        await self._vectors.adelete_nodes([id])

    async def _end(self) -> None:
        await self._client.close()
        await self._http.aclose()


def _found(node: Any, score: float | None = None) -> Found:
    text = node.get_content().removeprefix(_BEFORE).removesuffix(_AFTER)
    return Found(text, score, [node.node_id])
