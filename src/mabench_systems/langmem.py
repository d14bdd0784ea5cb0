"""langmem as a memory."""

from __future__ import annotations

import os
import sys
import uuid
from collections.abc import Mapping
from importlib import import_module
from typing import Any

from ._shared import LocalEmbeddings, SystemMemory, embed_on, embedding_server, require

_NAMESPACE = ("memories",)


class LangMemMemory(SystemMemory):
    """langmem as a memory: with a model it extracts and revises, without one it stores texts.

    Memories are in langgraph's ``InMemoryStore``, which langmem's documentation begins with;
    each search compares the query with all of them.

    Args:
        model, embeddings, embeddings_url: see ``SystemMemory``. With a model, a text is a message
            of a user to ``create_memory_store_manager``; without one it is stored as langmem's
            tool for agents stores what an agent chose.
        query_limit: How many memories that may need revising the model is shown with a text; 5
            is langmem's default.
        enable_deletes: Whether the model may delete memories; False is langmem's default.
    """

    mabench_capabilities = {"module": "langmem", "extra": "langmem"}

    def __init__(
        self,
        *,
        model: Mapping[str, str] | None = None,
        embeddings: str = "sentence-transformers/all-MiniLM-L6-v2",
        embeddings_url: str | None = None,
        query_limit: int = 5,
        enable_deletes: bool = False,
    ) -> None:
        # Off is the tracing of langsmith, on which langmem is built.
        os.environ["LANGSMITH_TRACING"] = os.environ["LANGCHAIN_TRACING_V2"] = "false"
        langmem = require("langmem", "langmem")
        server = embedding_server(embeddings, embeddings_url, model)
        embed = LocalEmbeddings(embeddings) if server is None else embed_on(server, "langmem")
        index = {"dims": len(embed(["how many dimensions"])[0]), "embed": embed}
        self._store: Any = import_module("langgraph.store.memory").InMemoryStore(index=index)
        self._manager: Any = None
        if model is not None:
            chat_model = import_module("langchain_openai").ChatOpenAI(
                model=model["name"],
                base_url=model["base_url"],
                api_key=model["api_key"],
                use_responses_api=False,
            )
            self._manager = langmem.create_memory_store_manager(
                chat_model,
                namespace=_NAMESPACE,
                store=self._store,
                query_limit=query_limit,
                enable_deletes=enable_deletes,
            )

    def _add(self, text: str) -> None:
        if self._manager is None:
            self._store.put(_NAMESPACE, str(uuid.uuid4()), {"content": text})
        else:
            self._manager.invoke({"messages": [{"role": "user", "content": text}]})

    def _search(self, query: str, k: int) -> list[Any]:
        passages = []
        for hit in self._store.search(_NAMESPACE, query=query, limit=k):
            content = hit.value["content"]  # The manager stores it as a field of a schema.
            text = content["content"] if isinstance(content, dict) else content
            passages.append({"text": str(text), "score": hit.score})
        return passages

    def stats(self) -> dict[str, int]:
        """Return how many memories there are."""
        return {"memories": len(self._store.search(_NAMESPACE, limit=sys.maxsize))}

    def close(self) -> None:
        """Forget everything."""
        self._manager = None
        self._store = import_module("langgraph.store.memory").InMemoryStore()
