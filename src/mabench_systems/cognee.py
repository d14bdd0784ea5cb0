"""Cognee, a knowledge graph with vectors, as a memory."""

from __future__ import annotations

import asyncio
import os
import shutil
import uuid
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from .shared import (
    EmbeddingServer,
    EventLoop,
    Fields,
    Found,
    Shared,
    SystemMemory,
    interleave,
    make_folder,
    storable,
)


class CogneeMemory(SystemMemory, native="user update delete", emulated="list"):
    """Cognee: a model extracts a graph and a summary from each text, beside vectors of its chunks.

    Every text is added and processed (``add``, ``cognify``) before the next. Cognee has one
    configuration per process: the instances of a process share it and its folder, each with a
    dataset (and thus a graph and vectors) of its own for each user; one of another model or other
    embeddings must wait until the rest are closed. A search of several datasets takes turns.

    Args:
        model, embeddings, embeddings_url: see ``SystemMemory``. Cognee must have a model, and uses
            the model's key for any server.
        dimensions: length of the vectors of ``openai/NAME``; found out by default.
        search_type: ``HYBRID_COMPLETION`` (Cognee's default) or ``GRAPH_COMPLETION``: what Cognee
            would show a model to answer from, as one text; or ``CHUNKS``, ``CHUNKS_LEXICAL`` or
            ``SUMMARIES``: texts one by one.
    """

    mabench_capabilities = {
        "module": "cognee",
        "extra": "cognee",
        "shares_model": True,
        "emulates_list": True,
    }

    _clean = staticmethod(storable)

    def _open(
        self, *, dimensions: int | None = None, search_type: str = "HYBRID_COMPLETION"
    ) -> None:
        model = self._model
        if model is None:
            raise ValueError(
                "Cognee extracts a knowledge graph with a language model: name one with `model`"
            )
        # Cognee and its libraries read these variables when they are imported.
        os.environ |= {"TELEMETRY_DISABLED": "1", "COGNEE_LOG_FILE": "false"}
        os.environ.setdefault("LOG_LEVEL", "ERROR")
        if self._server is not None:
            # Cognee looks on the hub for a tokenizer of that name, to measure chunks.
            os.environ.setdefault("HF_HUB_OFFLINE", "1")
        litellm = find_spec("litellm")
        if litellm is not None and litellm.origin:
            # It ships the encodings that tiktoken would download.
            encodings = Path(litellm.origin).parent / "litellm_core_utils" / "tokenizers"
            os.environ.setdefault("TIKTOKEN_CACHE_DIR", str(encodings))
        self._cognee: Any = self._import("cognee")
        self._dataset = f"dataset{uuid.uuid4().hex}"
        self._search_type = search_type
        if self._server is not None:
            self._server = self._server._replace(key=model["api_key"])
        llm = {
            "llm_provider": "custom",
            "llm_model": "openai/" + model["name"],
            "llm_endpoint": model["base_url"],
            "llm_api_key": model["api_key"],
        }
        key = (*llm.values(), self._embeddings, self._server, dimensions)
        self._process = _CogneeProcess.enter(key, llm, partial(self._embedding_config, dimensions))
        self._wait = self._process.loop.run

    def _embedding_config(self, dimensions: int | None) -> dict[str, Any]:
        """Return Cognee's settings for embeddings, by a server or by a local model."""
        # Cognee's own default for the tokens that a model takes.
        server, provider, window = self._server, "openai_compatible", 4096
        embed: Any = self._embedder()
        if server is None:
            _serve_to_litellm(self._embeddings, embed)
            # A name that is not on the hub: Cognee looks there for a tokenizer.
            name = f"mabench/local/{self._embeddings.strip('/')}"
            server, provider, window = EmbeddingServer(name, None, "none"), "custom", embed.window
        return {
            "embedding_provider": provider,
            "embedding_model": server.name,
            "embedding_endpoint": server.url,
            "embedding_api_key": server.key,
            # Cognee itself finds them out only once in a process.
            "embedding_dimensions": dimensions or len(embed(["text"])[0]),
            "embedding_max_completion_tokens": window,
        }

    async def _empty(self) -> None:
        for own in await self._own(Fields()):
            await self._cognee.datasets.empty_dataset(own.id)

    def _end(self) -> None:
        try:
            # The last instance removes the whole folder, which is quicker.
            if self._process.instances > 1:
                self._wait(self._empty())
        finally:
            self._process.leave()

    # Each of these methods is one task of the loop: Cognee keeps its state in context variables.

    async def _store(self, text: str, told: Fields) -> Sequence[str]:
        id, name = str(uuid.uuid4()), self._dataset + told.owner
        await self._cognee.add(_item(text, id), dataset_name=name)
        await self._cognee.cognify(datasets=[name])
        return [id]

    async def _find(self, query: str | None, k: int, asked: Fields) -> Iterable[Found]:
        from cognee.infrastructure.files.utils.open_data_file import open_data_file

        datasets = self._cognee.datasets
        own = [one for one in await self._own(asked) if await datasets.has_data(one.id)]
        if query is None:
            found = []
            for data in [each for one in own for each in await datasets.list_data(one.id)]:
                async with open_data_file(data.raw_data_location, mode="r") as file:
                    found.append(Found(file.read()))
            return found
        if not own:
            return []  # Cognee would raise an error if there is no text.
        results = await self._cognee.search(
            query,
            query_type=self._cognee.SearchType[self._search_type],
            datasets=[each.name for each in own],
            top_k=k,
            only_context=True,
            verbose=True,
        )
        if self._search_type.endswith("COMPLETION"):
            return [Found(one["context_result"]) for one in results if one["context_result"]]
        objects = ([getattr(x, "payload", x) for x in one["objects_result"]] for one in results)
        return interleave([chunk["text"] for chunk in chunks] for chunks in objects)

    async def _replace(self, id: str, text: str, told: Fields) -> Sequence[str]:
        [own] = await self._own(told, exactly=True)
        result = await self._cognee.update(uuid.UUID(id), _item(text), own.id)
        if result["status"] == "failed":
            raise RuntimeError(f"Cognee's update failed: {result['error']}")
        return [id]

    async def _forget(self, id: str, told: Fields) -> None:
        [own] = await self._own(told, exactly=True)
        await self._cognee.datasets.delete_data(own.id, uuid.UUID(id))

    async def _own(self, asked: Fields, *, exactly: bool = False) -> Sequence[Any]:
        """Return the dataset of a user.

        Without a user, return all datasets of this instance; with ``exactly``, only that of texts
        without a user.
        """
        datasets = await self._cognee.datasets.list_datasets()
        if asked.user is None and not exactly:
            return [one for one in datasets if one.name.startswith(self._dataset)]
        return [one for one in datasets if one.name == self._dataset + asked.owner]


def _item(text: str, id: str | None = None) -> Any:
    from cognee.tasks.ingestion.data_item import DataItem

    """Return a text as Cognee's item; a text that looks like a path is not read as one."""
    return DataItem(data=text, data_id=id and uuid.UUID(id), literal_text=True)


class _CogneeProcess(Shared):
    """What the instances of a process share: Cognee's configuration, folder and event loop."""

    _live = {}
    # Background tasks of Cognee and its libraries belong to this loop, so it never stops.
    loop: EventLoop

    def __init__(self, key: object, llm: Any, embedding: Callable[[], Any]) -> None:
        if self._live:
            raise ValueError(
                "Cognee has one configuration per process: close the memories of another "
                "model or other embeddings first, or use a process of its own"
            )
        if not hasattr(_CogneeProcess, "loop"):
            _CogneeProcess.loop = EventLoop()
        import cognee
        import litellm
        from cognee.modules.engine.operations.setup import setup
        from cognee.modules.users.methods import get_default_user

        litellm.suppress_debug_info = True  # It would print to standard output.
        embedding_config = embedding()
        self._folder = make_folder("cognee")
        cognee.config.system_root_directory(str(self._folder / "system"))
        cognee.config.data_root_directory(str(self._folder / "data"))
        cognee.config.set_llm_config(llm)
        cognee.config.set_embedding_config(embedding_config)

        async def set_up() -> None:
            # Make the database and the user now: simultaneous first texts would make them twice.
            await setup()
            await get_default_user()

        self.loop.run(set_up())

    def _end(self) -> None:
        shutil.rmtree(self._folder, ignore_errors=True)


def _serve_to_litellm(name: str, embed: Callable[[list[str]], Any]) -> None:
    """Register a local model with litellm, which Cognee embeds with."""
    import litellm

    class Local(litellm.CustomLLM):  # type: ignore[misc, unused-ignore]
        async def aembedding(self, *args: Any, **kwargs: Any) -> Any:
            vectors = await asyncio.to_thread(embed, kwargs["input"])
            data = [{"object": "embedding", "embedding": v} for v in vectors]
            return litellm.EmbeddingResponse(model=name, data=data)

    litellm.drop_params = True  # Cognee asks for a number of dimensions, which this cannot choose.
    litellm.custom_provider_map = [{"provider": "mabench", "custom_handler": Local()}]
