"""LlamaIndex's memory as a memory."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import partial
from typing import Any

from ._shared import (
    EventLoop,
    Folder,
    SystemMemory,
    embedding_server,
    key_of,
    passage,
    require,
    stamp_of,
    unknown,
)

_COLLECTION = "memories"
# What a block of memory writes around a message of a user.
_BEFORE = "<message role='user'>"
_AFTER = "</message>"
_import = partial(require, extra="llama-index")


class LlamaIndexMemory(SystemMemory):
    """LlamaIndex's ``VectorMemoryBlock`` as a memory: finds messages by their vectors.

    ``Memory`` keeps recent messages in a queue that cannot be searched, and hands those that no
    longer fit to its blocks; here each text goes to the block's store at once, as the block writes
    it: a local Qdrant in a folder of the instance's own. The block knows sessions; users and times
    are metadata beside them, and an update is stored under the id of the old text.

    Args:
        model, embeddings, embeddings_url: see ``SystemMemory``; no language model is asked.
    """

    mabench_capabilities = {
        "module": "llama_index.vector_stores.qdrant",
        "extra": "llama-index",
    }
    mabench_support = {
        "time": "emulated",
        "session": "native",
        "user": "emulated",
        "update": "emulated",
        "delete": "native",
        "list": "native",
    }

    def __init__(
        self,
        *,
        model: Mapping[str, str] | None = None,
        embeddings: str = "sentence-transformers/all-MiniLM-L6-v2",
        embeddings_url: str | None = None,
    ) -> None:
        _import("llama_index.core.memory")
        qdrant = _import("llama_index.vector_stores.qdrant")
        self._types: Any = _import("llama_index.core.vector_stores.types")
        self._node: Any = _import("llama_index.core.schema").TextNode
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
        self._memories = 0

    def add(
        self,
        text: str,
        *,
        time: datetime | None = None,
        session: str | None = None,
        user: str | None = None,
    ) -> str | None:
        """Store a text as a message and return its id."""
        if not (text := self._storable(text)):
            return None
        metadata = {"session_id": session, "user": key_of(user), **stamp_of(time)}
        node = self._node(text=f"{_BEFORE}{text}{_AFTER}", metadata=metadata)
        self._put(node)
        self._memories += 1
        return str(node.node_id)

    def search(
        self, query: str, k: int, *, time: datetime | None = None, user: str | None = None
    ) -> Sequence[Any]:
        """Ask the block's store as ``aget`` does, which joins what it finds into one string."""
        if k <= 0 or not self._memories or not (query := self._storable(query)):
            return []
        vector_query = self._types.VectorStoreQuery(
            query_str=query,
            query_embedding=self._wait(self._embedder.aget_query_embedding(query)),
            similarity_top_k=k,
            filters=self._filters(time, user),
        )
        hits = self._wait(self._store.aquery(vector_query))
        return [_passage(*hit) for hit in zip(hits.nodes, hits.similarities, strict=True)]

    def update(self, id: str, text: str, *, time: datetime | None = None) -> None:
        """Store another text in place of one, with its time unless another is given."""
        [node] = self._nodes(id) or [None]
        if node is None:
            raise unknown(id)
        node.metadata.update({} if time is None else stamp_of(time))
        node.text = f"{_BEFORE}{self._clean(text)}{_AFTER}"
        self._put(node)

    def delete(self, *, id: str | None = None, user: str | None = None) -> None:
        """Forget a text, or all of a user."""
        nodes = self._nodes(id, user)
        if id is not None and not nodes:
            raise unknown(id)
        if nodes and (id, user) != (None, None):
            self._wait(self._store.adelete_nodes([node.node_id for node in nodes]))
            self._memories -= len(nodes)

    def list(self, *, user: str | None = None) -> Sequence[Any]:
        """Return the texts of a user, or all."""
        return [_passage(node, None) for node in self._nodes(user=user)]

    def _put(self, node: Any) -> None:
        """Embed and store a node as the block does; one of the same id is replaced."""
        node.embedding = self._wait(self._embedder.aget_text_embedding(node.text))
        self._wait(self._store.async_add([node]))

    def _nodes(self, id: str | None = None, user: str | None = None) -> Sequence[Any]:
        if not self._memories:
            return []
        ids = None if id is None else [id]
        filters, most = self._filters(None, user), sys.maxsize if id is None else 1
        return list(self._wait(self._store.aget_nodes(ids, filters, limit=most)))

    def _filters(self, time: datetime | None, user: str | None) -> Any:
        given = [] if user is None else [{"key": "user", "value": key_of(user)}]
        if time is not None:
            given.append({"key": "at", "value": time.timestamp(), "operator": "<="})
        filters = [self._types.MetadataFilter(**each) for each in given]
        return self._types.MetadataFilters(filters=filters) if filters else None

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


def _passage(node: Any, score: float | None) -> dict[str, Any]:
    text = node.get_content().removeprefix(_BEFORE).removesuffix(_AFTER)
    return passage(text, score, node.metadata["time"])


def _embedder(name: str, url: str | None, model: Mapping[str, str] | None, http: Any) -> Any:
    server = embedding_server(name, url, model)
    if server is None:
        huggingface = _import("llama_index.embeddings.huggingface")
        return huggingface.HuggingFaceEmbedding(model_name=name)
    settings: dict[str, Any] = {"model_name": server.name, "async_http_client": http}
    if server.url is not None:
        settings |= {"api_base": server.url, "api_key": server.key or "none"}
    return _import("llama_index.embeddings.openai_like").OpenAILikeEmbedding(**settings)
