"""langmem as a memory."""

from __future__ import annotations

import os
import sys
import uuid
from collections.abc import Mapping, Sequence
from datetime import datetime
from importlib import import_module
from typing import Any

from ._shared import (
    LocalEmbeddings,
    SystemMemory,
    embed_on,
    embedding_server,
    key_of,
    passage,
    require,
    unknown,
)

_NAMESPACE = ("memories",)


class LangMemMemory(SystemMemory):
    """langmem as a memory: with a model it extracts and revises, without one it stores texts.

    Memories are in langgraph's ``InMemoryStore``, which langmem's documentation begins with;
    each search compares the query with all of them. A user has a namespace of langmem's own. A time
    is kept here and stands before the text that the model is shown; searches leave out later ones.

    Args:
        model, embeddings, embeddings_url: see ``SystemMemory``. With a model, a text is a message
            of a user to ``create_memory_store_manager``; without one it is stored as langmem's
            tool for agents stores what an agent chose.
        query_limit: How many memories that may need revising the model is shown with a text; 5
            is langmem's default.
        enable_deletes: Whether the model may delete memories; False is langmem's default.
    """

    mabench_capabilities = {"module": "langmem", "extra": "langmem"}
    mabench_support = {
        "time": "emulated",
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
        self._times: dict[str, datetime] = {}  # By key.
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
                namespace=(*_NAMESPACE, "{owner}"),
                store=self._store,
                query_limit=query_limit,
                enable_deletes=enable_deletes,
            )

    def add(
        self, text: str, *, time: datetime | None = None, user: str | None = None
    ) -> Sequence[str]:
        """Store a text, or what the model makes of it; returns the ids of the memories."""
        if not (text := self._storable(text)):
            return []
        if self._manager is None:
            keys = [str(uuid.uuid4())]
            self._store.put(_namespace(user), keys[0], {"content": text})
        else:
            shown = text if time is None else f"[{time.isoformat()}] {text}"
            stored = self._manager.invoke(
                {"messages": [{"role": "user", "content": shown}]},
                config={"configurable": {"owner": key_of(user)}},
            )
            keys = [str(one["key"]) for one in stored]
        if time is not None:
            self._times |= dict.fromkeys(keys, time)
        return keys

    def search(
        self, query: str, k: int, *, time: datetime | None = None, user: str | None = None
    ) -> Sequence[Any]:
        """Return up to ``k`` memories, those up to a time, the best first."""
        if k <= 0 or not (query := self._storable(query)):
            return []
        namespace = _NAMESPACE if user is None else _namespace(user)
        many = k if time is None else sys.maxsize
        hits = self._store.search(namespace, query=query, limit=many)
        known = [hit for hit in hits if time is None or self._times.get(hit.key, time) <= time]
        return [self._passage(hit, hit.score) for hit in known[:k]]

    def update(self, id: str, text: str, *, time: datetime | None = None) -> None:
        """Store another text in place of a memory's."""
        item = self._get(id)
        content, text = item.value["content"], self._clean(text)
        content = {**content, "content": text} if isinstance(content, dict) else text
        self._store.put(item.namespace, id, {**item.value, "content": content})
        if time is not None:
            self._times[id] = time

    def delete(self, *, id: str | None = None, user: str | None = None) -> None:
        """Forget a memory, or all of a user."""
        items = [self._get(id)] if id is not None else self._items(user) if user is not None else []
        for item in items:
            self._store.delete(item.namespace, item.key)
            self._times.pop(item.key, None)

    def list(self, *, user: str | None = None) -> Sequence[Any]:
        """Return the memories of a user, or all."""
        return [self._passage(item, None) for item in self._items(user)]

    def _items(self, user: str | None = None) -> Sequence[Any]:
        namespace = _NAMESPACE if user is None else _namespace(user)
        return list(self._store.search(namespace, limit=sys.maxsize))

    def _get(self, id: str) -> Any:
        for namespace in self._store.list_namespaces(prefix=_NAMESPACE, limit=sys.maxsize):
            if (item := self._store.get(namespace, id)) is not None:
                return item
        raise unknown(id)

    def _passage(self, item: Any, score: float | None) -> dict[str, Any]:
        content = item.value["content"]  # The manager stores it as a field of a schema.
        text = str(content["content"] if isinstance(content, dict) else content)
        time = self._times.get(item.key)
        return passage(text, score, time and time.isoformat())

    def stats(self) -> dict[str, int]:
        """Return how many memories there are."""
        return {"memories": len(self._items())}

    def close(self) -> None:
        """Forget everything."""
        self._manager = None
        self._store = import_module("langgraph.store.memory").InMemoryStore()


def _namespace(user: str | None) -> tuple[str, ...]:
    return (*_NAMESPACE, key_of(user))
