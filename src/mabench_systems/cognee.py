"""Cognee, a knowledge graph with vectors, as a memory.

``CogneeMemory`` defines the methods that ``shared/memory.py`` calls: ``_store``, ``_find`` and so
on. Their ``fields`` are the user, the time and so on of a text, and ``limits`` are those that a
search is limited to. Cognee's datasets separate the texts of users.
"""

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

_USUAL_WINDOW = 4096  # Tokens that a model embeds of a text; Cognee's own default.


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
        """Name the dataset of the instance, and configure Cognee unless that was done before."""
        model = self._model
        if model is None:
            raise ValueError(
                "Cognee extracts a knowledge graph with a language model: name one with `model`"
            )
        _set_environment(embeds_by_server=self._server is not None)
        self._cognee: Any = self._import("cognee")
        self._dataset = f"dataset{uuid.uuid4().hex}"
        self._search_type = search_type
        if self._server is not None:  # Cognee sends the key of the model to any server.
            self._server = self._server._replace(key=model["api_key"])
        llm_config = {
            "llm_provider": "custom",
            "llm_model": "openai/" + model["name"],
            "llm_endpoint": model["base_url"],
            "llm_api_key": model["api_key"],
        }
        # Instances whose configuration is the same can share the process.
        key = (*llm_config.values(), self._embeddings, self._server, dimensions)
        make_embedding_config = partial(self._embedding_config, dimensions)
        self._process = _CogneeProcess.enter(key, llm_config, make_embedding_config)
        self._wait = self._process.loop.run

    def _embedding_config(self, dimensions: int | None) -> dict[str, Any]:
        """Return Cognee's settings for embeddings, by a server or by a local model.

        ``dimensions`` is the length of vectors; if it is None, a text is embedded to find it out.
        """
        embed: Any = self._embedder()
        if self._server is not None:
            server, provider, window = self._server, "openai_compatible", _USUAL_WINDOW
        else:
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

    async def _empty_datasets(self) -> None:
        """Delete all texts of this instance."""
        for dataset in await self._list_datasets(Fields()):
            await self._cognee.datasets.empty_dataset(dataset.id)

    def _end(self) -> None:
        """Delete what this instance stored, and end Cognee if no other instance uses it."""
        try:
            # The last instance removes the whole folder, which is quicker.
            if self._process.instances > 1:
                self._wait(self._empty_datasets())
        finally:
            self._process.leave()

    # Each of these methods is one task of the loop: Cognee keeps its state in context variables.

    async def _store(self, text: str, fields: Fields) -> Sequence[str]:
        """Add a text to the dataset of its user, and let Cognee process it; return its id."""
        id, dataset = str(uuid.uuid4()), self._dataset_of(fields)
        await self._cognee.add(_item(text, id), dataset_name=dataset)
        await self._cognee.cognify(datasets=[dataset])
        return [id]

    async def _find(self, query: str | None, k: int, limits: Fields) -> Iterable[Found]:
        """Return what a search finds in the datasets of a user or of all; without a query, all."""
        datasets = [
            dataset
            for dataset in await self._list_datasets(limits)
            if await self._cognee.datasets.has_data(dataset.id)
        ]
        if query is None:
            return [text for dataset in datasets for text in await self._list_texts(dataset)]
        if not datasets:
            return []  # Cognee would raise an error if there is no text.
        results = await self._cognee.search(
            query,
            query_type=self._cognee.SearchType[self._search_type],
            datasets=[dataset.name for dataset in datasets],
            top_k=k,
            only_context=True,
            verbose=True,
        )
        if self._search_type.endswith("COMPLETION"):
            contexts = [result["context_result"] for result in results]
            return [Found(context) for context in contexts if context]
        return interleave(_texts_of(result) for result in results)

    async def _list_texts(self, dataset: Any) -> list[Found]:
        """Return the texts of a dataset, which Cognee keeps in files."""
        from cognee.infrastructure.files.utils.open_data_file import open_data_file

        texts = []
        for data in await self._cognee.datasets.list_data(dataset.id):
            async with open_data_file(data.raw_data_location, mode="r") as file:
                texts.append(Found(file.read()))
        return texts

    async def _replace(self, id: str, text: str, fields: Fields) -> Sequence[str]:
        """Let Cognee update the text with an id, which it keeps."""
        [dataset] = await self._list_datasets(fields, only_of_owner=True)
        result = await self._cognee.update(uuid.UUID(id), _item(text), dataset.id)
        if result["status"] == "failed":
            raise RuntimeError(f"Cognee's update failed: {result['error']}")
        return [id]

    async def _forget(self, id: str, fields: Fields) -> None:
        """Delete the text with an id from the dataset of its user."""
        [dataset] = await self._list_datasets(fields, only_of_owner=True)
        await self._cognee.datasets.delete_data(dataset.id, uuid.UUID(id))

    async def _list_datasets(self, fields: Fields, *, only_of_owner: bool = False) -> Sequence[Any]:
        """Return the dataset of a user; without a user, all datasets of this instance.

        With ``only_of_owner``, having no user means the one dataset of texts without a user. A
        dataset that has no text yet does not exist, and the list may be empty.
        """
        datasets = await self._cognee.datasets.list_datasets()
        if fields.user is None and not only_of_owner:
            return [dataset for dataset in datasets if dataset.name.startswith(self._dataset)]
        return [dataset for dataset in datasets if dataset.name == self._dataset_of(fields)]

    def _dataset_of(self, fields: Fields) -> str:
        """Return the name of the dataset of a user, or of texts without one, in this instance."""
        return self._dataset + fields.owner


def _set_environment(*, embeds_by_server: bool) -> None:
    """Set the variables that Cognee and its libraries read when they are imported."""
    os.environ |= {"TELEMETRY_DISABLED": "1", "COGNEE_LOG_FILE": "false"}
    os.environ.setdefault("LOG_LEVEL", "ERROR")
    if embeds_by_server:
        # Cognee would look on the hub for a tokenizer of the model's name, to measure chunks.
        os.environ.setdefault("HF_HUB_OFFLINE", "1")
    litellm = find_spec("litellm")
    if litellm is not None and litellm.origin:
        # It ships the encodings that tiktoken would download.
        encodings = Path(litellm.origin).parent / "litellm_core_utils" / "tokenizers"
        os.environ.setdefault("TIKTOKEN_CACHE_DIR", str(encodings))


def _item(text: str, id: str | None = None) -> Any:
    """Return a text as Cognee's item; a text that looks like a path is not read as one."""
    from cognee.tasks.ingestion.data_item import DataItem

    return DataItem(data=text, data_id=id and uuid.UUID(id), literal_text=True)


def _texts_of(result: Any) -> list[str]:
    """Return the texts that a search found in one dataset, the best first."""
    chunks = [getattr(chunk, "payload", chunk) for chunk in result["objects_result"]]
    return [chunk["text"] for chunk in chunks]


class _CogneeProcess(Shared):
    """What the instances of a process share: Cognee's configuration, folder and event loop."""

    _live = {}  # Has one entry at most.
    # Background tasks of Cognee and its libraries belong to this loop, so it never stops.
    loop: EventLoop

    def __init__(
        self, key: object, llm_config: Any, make_embedding_config: Callable[[], Any]
    ) -> None:
        """Configure Cognee for a language model and an embedding model.

        Raises ``ValueError`` if it is configured for others.
        """
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
        embedding_config = make_embedding_config()
        self._folder = make_folder("cognee")
        cognee.config.system_root_directory(str(self._folder / "system"))
        cognee.config.data_root_directory(str(self._folder / "data"))
        cognee.config.set_llm_config(llm_config)
        cognee.config.set_embedding_config(embedding_config)

        async def set_up() -> None:
            # Make the database and the user now: simultaneous first texts would make them twice.
            await setup()
            await get_default_user()

        self.loop.run(set_up())

    def _end(self) -> None:
        """Remove Cognee's folder, with all that it stored."""
        shutil.rmtree(self._folder, ignore_errors=True)


def _serve_to_litellm(name: str, embed: Callable[[list[str]], Any]) -> None:
    """Let litellm, by which Cognee embeds, use a local model for names such as ``mabench/...``.

    ``embed`` returns the vectors of texts; ``name`` is that of the model.
    """
    import litellm

    class LocalModel(litellm.CustomLLM):  # type: ignore[misc, unused-ignore]
        async def aembedding(self, *args: Any, **kwargs: Any) -> Any:
            """Return the vectors of the texts in ``input``, as litellm asks for them."""
            vectors = await asyncio.to_thread(embed, kwargs["input"])
            data = [{"object": "embedding", "embedding": vector} for vector in vectors]
            return litellm.EmbeddingResponse(model=name, data=data)

    litellm.drop_params = True  # Cognee asks for a number of dimensions, which this cannot choose.
    litellm.custom_provider_map = [{"provider": "mabench", "custom_handler": LocalModel()}]
