"""langmem as a memory.

``LangMemMemory`` defines the methods that ``shared/memory.py`` calls: ``_store``, ``_find`` and so
on. Their ``fields`` are the user, the time and so on of a text, and ``limits`` are those that a
search is limited to.
"""

from __future__ import annotations

import os
import sys
import uuid
from collections.abc import Iterable, Sequence
from importlib import import_module
from typing import Any

from .shared import Fields, Found, SystemMemory

_NAMESPACE = ("memories",)  # In the store; within it, each user has a namespace.


class LangMemMemory(SystemMemory, native="user update delete list", emulated="time"):
    """langmem as a memory: with a model it extracts and revises, without one it stores texts.

    Memories are in langgraph's ``InMemoryStore``, which langmem's documentation begins with;
    each search compares the query with all of them. A user has a namespace. A time comes before
    the text that the model is shown; what is later than a question is left out here.

    Args:
        model, embeddings, embeddings_url: see ``SystemMemory``. With a model, a text is a message
            of a user to ``create_memory_store_manager``; without one it is stored as langmem's
            tool for agents stores what an agent chose.
        query_limit: How many memories that may need revising the model is shown with a text; 5
            is langmem's default.
        enable_deletes: Whether the model may delete memories; False is langmem's default.
    """

    mabench_capabilities = {"module": "langmem", "extra": "langmem"}

    def _open(self, *, query_limit: int = 5, enable_deletes: bool = False) -> None:
        """Make an empty store, and with a model the manager that extracts memories into it."""
        # Turn off the tracing of langsmith, on which langmem is built.
        os.environ["LANGSMITH_TRACING"] = os.environ["LANGCHAIN_TRACING_V2"] = "false"
        langmem, embed = self._import("langmem"), self._embedder()
        index = {"dims": len(embed(["how many dimensions"])[0]), "embed": embed}
        self._items: Any = import_module("langgraph.store.memory").InMemoryStore(index=index)
        self._manager: Any = None
        if self._model is not None:
            chat_model = import_module("langchain_openai").ChatOpenAI(
                model=self._model["name"],
                base_url=self._model["base_url"],
                api_key=self._model["api_key"],
                use_responses_api=False,
            )
            self._manager = langmem.create_memory_store_manager(
                chat_model,
                namespace=(*_NAMESPACE, "{owner}"),
                store=self._items,
                query_limit=query_limit,
                enable_deletes=enable_deletes,
            )

    def _store(self, text: str, fields: Fields) -> Sequence[str]:
        """Store a text, or show it to the model; return the ids of the memories that it changed."""
        if self._manager is None:
            return self._replace(str(uuid.uuid4()), text, fields)
        shown = text if fields.time is None else f"[{fields.time.isoformat()}] {text}"
        changed_memories = self._manager.invoke(
            {"messages": [{"role": "user", "content": shown}]},
            config={"configurable": {"owner": fields.owner}},
        )
        return [memory["key"] for memory in changed_memories]

    def _find(self, query: str | None, k: int, limits: Fields) -> Iterable[Found]:
        """Return the memories nearest to a query; without a query, all of a user or of all users.

        The store cannot filter by time: with one, all are found, and ``SystemMemory.search`` leaves
        out later ones.
        """
        namespace = _NAMESPACE if limits.user is None else (*_NAMESPACE, limits.owner)
        limit = k if limits.time is None else sys.maxsize
        found = []
        for hit in self._items.search(namespace, query=query, limit=limit):
            content = hit.value["content"]  # The manager stores texts in a field of a schema.
            text = content["content"] if isinstance(content, dict) else content
            found.append(Found(str(text), hit.score, [hit.key]))
        return found

    def _replace(self, id: str, text: str, fields: Fields) -> Sequence[str]:
        """Put a text into the store under an id, in place of the one that it had."""
        value: Any = {"content": text}
        if self._manager:  # In the manager's form, because it may revise the text.
            value = {"content": value, "kind": "Memory"}
        self._items.put((*_NAMESPACE, fields.owner), id, value)
        return [id]

    def _forget(self, id: str, fields: Fields) -> None:
        """Delete the memory with an id from the namespace of its user."""
        self._items.delete((*_NAMESPACE, fields.owner), id)

    def _end(self) -> None:
        """Drop the store, which is in memory."""
        self._manager = self._items = None
