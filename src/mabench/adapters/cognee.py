"""Cognee, a knowledge graph with vectors, as a memory."""

# mypy: disable-error-code="import-not-found"
# The outside systems are not installed where the types are checked.

from __future__ import annotations

import asyncio
import os
import shutil
import tempfile
import threading
import uuid
from collections.abc import Coroutine, Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from ._shared import LocalEmbeddings, embedding_server, not_installed, storable

_MODELLESS = "Cognee extracts a knowledge graph with a language model: name one with `model`"


class CogneeMemory:
    """Cognee: a model extracts a graph and a summary from each text, beside vectors of its chunks.

    Every text is added and processed (``add``, ``cognify``) before the next. Cognee has one
    configuration per process: the instances of a process share it and its folder, each with a
    dataset (and thus a graph and vectors) of its own; one of another model or other embeddings
    must wait until the rest are closed. A text that was added before is not stored again.

    Args:
        model: the language model: ``name``, ``base_url``, ``api_key``. Cognee must have one.
        embeddings: name or path of a sentence-transformers model, or ``openai/NAME``.
        embeddings_url: base URL of the server of ``openai/NAME``; the model's by default.
        dimensions: length of the vectors of ``openai/NAME``; found out by default.
        search_type: ``HYBRID_COMPLETION`` (Cognee's default) or ``GRAPH_COMPLETION``: what Cognee
            would show a model to answer from, as one text; or ``CHUNKS``, ``CHUNKS_LEXICAL`` or
            ``SUMMARIES``: texts one by one.
    """

    def __init__(
        self,
        *,
        model: Mapping[str, str] | None = None,
        embeddings: str = "sentence-transformers/all-MiniLM-L6-v2",
        embeddings_url: str | None = None,
        dimensions: int | None = None,
        search_type: str = "HYBRID_COMPLETION",
    ) -> None:
        if model is None:
            raise ValueError(_MODELLESS)
        if find_spec("cognee") is None:
            raise not_installed("cognee")
        self._dataset = f"dataset{uuid.uuid4().hex}"
        self._search_type = search_type
        settings = {
            "model": model["name"],
            "url": model["base_url"],
            "key": model["api_key"],
            "embeddings": embeddings,
            "embeddings_url": embeddings_url or model["base_url"],
            "dimensions": dimensions,
        }
        self._process: _Process | None = _Process.enter(settings)

    def add(self, text: str) -> None:
        """Store a text and extract its graph and summary."""
        text = storable(text)
        if text.strip():  # there is nothing to extract from an empty text
            self._wait(self._add(text))

    def search(self, query: str, k: int) -> list[str]:
        """Return the ``k`` best texts, or the one text made of them that ``search_type`` says."""
        query = storable(query)
        found: list[str] = self._wait(self._search(query, k)) if query.strip() and k > 0 else []
        return found

    def stats(self) -> dict[str, int]:
        """Return how many texts there are; the folder is shared, so its bytes are not told."""
        return {"memories": self._wait(self._count())}

    def close(self) -> None:
        """Delete the texts and all that was made of them."""
        if self._process is not None:
            if self._process.instances > 1:  # the last one's folder goes whole, which is quicker
                self._wait(self._delete())
            self._process.leave()
            self._process = None

    def _wait(self, work: Coroutine[Any, Any, Any]) -> Any:
        if self._process is None:
            raise ValueError("this memory is closed")
        return asyncio.run_coroutine_threadsafe(work, self._process.loop).result()

    async def _add(self, text: str) -> None:
        import cognee
        from cognee.tasks.ingestion.data_item import DataItem

        # Literal, or a text that looks like a path or an address would be read from there.
        item = DataItem(data=text, literal_text=True)
        await cognee.add(item, dataset_name=self._dataset)
        await cognee.cognify(datasets=[self._dataset])

    async def _search(self, query: str, k: int) -> list[str]:
        import cognee

        if await self._own() is None:
            return []  # nothing was added yet
        [found] = await cognee.search(
            query,
            query_type=cognee.SearchType[self._search_type],
            datasets=[self._dataset],
            top_k=k,
            only_context=True,
            verbose=True,
        )
        if self._search_type.endswith("COMPLETION"):
            return [found["context_result"]] if found["context_result"] else []
        chunks = (getattr(one, "payload", one) for one in found["objects_result"] or [])
        return [chunk["text"] for chunk in chunks][:k]

    async def _own(self) -> Any:
        import cognee

        datasets = await cognee.datasets.list_datasets()
        return next((one for one in datasets if one.name == self._dataset), None)

    async def _count(self) -> int:
        import cognee

        own = await self._own()
        return len(await cognee.datasets.list_data(own.id)) if own else 0

    async def _delete(self) -> None:
        import cognee

        own = await self._own()
        if own is not None:
            await cognee.datasets.empty_dataset(own.id)


class _Process:
    """What the instances of a process share: Cognee's configuration, folder and event loop."""

    _lock = threading.Lock()
    _live: _Process | None = None
    # Cognee's and its libraries' background tasks belong to one loop: it is never stopped.
    loop: asyncio.AbstractEventLoop

    @classmethod
    def enter(cls, settings: dict[str, Any]) -> _Process:
        """Return what is shared, made for the first instance."""
        with cls._lock:
            if cls._live is None:
                cls._live = cls(settings)
            elif cls._live._settings != settings:
                raise ValueError(
                    "Cognee has one configuration per process: close the memories of another "
                    "model or other embeddings first, or use a process of its own"
                )
            cls._live.instances += 1
            return cls._live

    def __init__(self, settings: dict[str, Any]) -> None:
        self._settings = settings
        self.instances = 0
        _prepare_environment(settings["embeddings"])
        if not hasattr(_Process, "loop"):
            _Process.loop = asyncio.new_event_loop()
            threading.Thread(target=self.loop.run_forever, daemon=True).start()
        import cognee
        import litellm

        litellm.suppress_debug_info = True  # else it prints to stdout
        embedding_config = _embedding_config(settings)
        self._folder = Path(tempfile.mkdtemp(prefix="mabench-cognee-"))
        cognee.config.system_root_directory(str(self._folder / "system"))
        cognee.config.data_root_directory(str(self._folder / "data"))
        cognee.config.set_llm_config(
            {
                "llm_provider": "custom",
                "llm_model": "openai/" + settings["model"],
                "llm_endpoint": settings["url"],
                "llm_api_key": settings["key"],
            }
        )
        cognee.config.set_embedding_config(embedding_config)
        asyncio.run_coroutine_threadsafe(_set_up(), self.loop).result()

    def leave(self) -> None:
        """Delete the folder when the last instance is closed."""
        with self._lock:
            self.instances -= 1
            if not self.instances:
                shutil.rmtree(self._folder, ignore_errors=True)
                type(self)._live = None


async def _set_up() -> None:
    """Create the database and the user, which first texts at the same time would make twice."""
    from cognee.modules.engine.operations.setup import setup
    from cognee.modules.users.methods import get_default_user

    await setup()
    await get_default_user()


def _prepare_environment(embeddings: str) -> None:
    """Set what Cognee and its libraries read when they are imported."""
    os.environ["TELEMETRY_DISABLED"] = "1"
    os.environ["COGNEE_LOG_FILE"] = "false"
    os.environ.setdefault("LOG_LEVEL", "ERROR")
    if embedding_server(embeddings, None, None) is not None:
        # Cognee looks on the hub for a tokenizer of that name, to measure chunks.
        os.environ.setdefault("HF_HUB_OFFLINE", "1")
    litellm = find_spec("litellm")
    if litellm is not None and litellm.origin:
        # It ships the encodings that tiktoken would download.
        encodings = Path(litellm.origin).parent / "litellm_core_utils" / "tokenizers"
        os.environ.setdefault("TIKTOKEN_CACHE_DIR", str(encodings))


def _embedding_config(settings: dict[str, Any]) -> dict[str, Any]:
    """Return Cognee's configuration for a server's embeddings, or for a local model's."""
    server = embedding_server(settings["embeddings"], settings["embeddings_url"], None)
    if server is not None:
        return {
            "embedding_provider": "openai_compatible",
            "embedding_model": server.name,
            "embedding_endpoint": server.url,
            "embedding_api_key": settings["key"],
            "embedding_dimensions": settings["dimensions"] or _dimensions(settings),
            "embedding_max_completion_tokens": 4096,  # Cognee's own default
        }
    name = settings["embeddings"]
    embed = LocalEmbeddings(name)
    _serve_to_litellm(name, embed)
    return {
        "embedding_provider": "custom",
        # No name that a hub could have: Cognee looks there for a tokenizer.
        "embedding_model": f"mabench/local/{name.strip('/')}",
        "embedding_endpoint": None,
        "embedding_api_key": "none",
        "embedding_dimensions": len(embed(["text"])[0]),
        "embedding_max_completion_tokens": embed.window,
    }


def _dimensions(settings: dict[str, Any]) -> int:
    """Ask the server for a vector: Cognee itself finds out once in a process only."""
    import litellm

    reply: Any = litellm.embedding(
        model=settings["embeddings"],
        input=["text"],
        api_base=settings["embeddings_url"],
        api_key=settings["key"],
    )
    return len(reply.data[0]["embedding"])


def _serve_to_litellm(name: str, embed: LocalEmbeddings) -> None:
    """Register a local model with litellm, which Cognee embeds with."""
    import litellm

    class Local(litellm.CustomLLM):  # type: ignore[misc, unused-ignore]
        async def aembedding(self, *args: Any, **kwargs: Any) -> Any:
            vectors = await asyncio.to_thread(embed, kwargs["input"])
            data = [{"object": "embedding", "embedding": v} for v in vectors]
            return litellm.EmbeddingResponse(model=name, data=data)

    litellm.drop_params = True  # Cognee asks for a number of dimensions, which this cannot choose
    litellm.custom_provider_map = [{"provider": "mabench", "custom_handler": Local()}]
