"""``SystemMemory``, the base class of all adapters of memory systems.

It has the methods that mabench calls (``add``, ``search`` and so on). Those call the methods that
an adapter defines (``_store``, ``_find`` and so on), which only have to deal with the system.
"""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable, Coroutine, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from datetime import datetime
from importlib import import_module
from inspect import Signature, iscoroutine, signature
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

from .declared_fields import FIELDS, declare_fields
from .embeddings import EmbeddingServer, LocalEmbeddings
from .event_loop import EventLoop
from .texts import Fields, Found, encodable


class StoredText(NamedTuple):
    """What is remembered of a text that was added."""

    ids: Sequence[str]  # The system's ids of what it made of the text.
    fields: Fields


class SystemMemory:
    """The base class of all adapters of memory systems.

    An adapter must define ``_open``, ``_store``, ``_find``, ``_forget`` and ``_end``, and may
    define ``_replace`` and ``_count``. Its methods get texts that the system can encode, and never
    a blank one. For mabench, a text has a single id: that of the first thing that the system made
    of it. A search or a list without a user is over all users.

    Args:
        model: ``name``, ``base_url`` and ``api_key`` of a language model. Its server is the default
            for embeddings, too, also where the system itself asks no language model.
        embeddings: name or path of a sentence-transformers model, or ``openai/NAME`` for a server.
        embeddings_url: base URL of the server of ``openai/NAME``, whose key is
            ``OPENAI_API_KEY``; the model's server by default.
        own: the arguments of ``_open``.
    """

    # What an adapter declares to mabench; see ``mabench.lookup.Capabilities``.
    mabench_capabilities: ClassVar[Mapping[str, object]]
    # Which of time, speaker, session, user, update, delete and list are ``native`` to the system,
    # or ``emulated`` here. The methods declare exactly these; the guide's table is made from them.
    mabench_support: ClassVar[Mapping[str, str]]
    # Makes a text such as the system can store.
    _clean: Callable[[str], str] = staticmethod(encodable)
    # The methods of an adapter. They may be asynchronous if it sets ``_wait``. ``_store`` gets a
    # text with its fields, and returns the ids that the system gave to what it made of the text.
    # ``_find`` gets a query, the number of texts wanted and the fields that limit the search, and
    # returns ``Found`` texts; without a query, all texts. ``_forget`` deletes what has an id.
    _open: Callable[..., None]
    _store: Callable[[str, Fields], Any]
    _find: Callable[[str | None, int, Fields], Any]
    _forget: Callable[[str, Fields], Any]
    _end: Callable[[], Any]
    # Runs what an asynchronous method returned, and returns the result.
    _wait: Callable[[Coroutine[Any, Any, Any]], Any]
    _usual_embeddings = "sentence-transformers/all-MiniLM-L6-v2"
    # An adapter may have a folder and an event loop of its own, which are removed and closed at the
    # end, and a lock that each call of its methods holds.
    _folder: Path | None = None
    _loop: EventLoop | None = None
    _lock: AbstractContextManager[Any] = nullcontext()

    def __init_subclass__(cls, *, native: str, emulated: str = "") -> None:
        """Declare what an adapter supports, and which settings it takes.

        ``native`` and ``emulated`` are words with blanks between, such as ``time user``. The
        signatures of the methods then name the fields that are supported, and the signature of the
        class names the settings of ``_open``: mabench reads both.
        """
        cls.mabench_support = {
            **dict.fromkeys(native.split(), "native"),
            **dict.fromkeys(emulated.split(), "emulated"),
        }
        for method, fields in FIELDS.items():
            supported = [field for field in fields if field == "id" or field in cls.mabench_support]
            setattr(cls, method, declare_fields(getattr(cls, method), supported))
        # Without ``self`` and ``**own``, in whose place the settings are.
        _, *common, _ = signature(SystemMemory.__init__).parameters.values()
        _, *settings = signature(cls._open).parameters.values()
        cls.__signature__ = Signature([*common, *settings])  # type: ignore[attr-defined]

    def __init__(
        self,
        *,
        model: Mapping[str, str] | None = None,
        embeddings: str | None = None,
        embeddings_url: str | None = None,
        **own: Any,
    ) -> None:
        """Open the system; the arguments are described at the class."""
        self._model, self._embeddings = model, embeddings or self._usual_embeddings
        self._server = _embedding_server(self._embeddings, embeddings_url, model)
        self._texts: dict[str, StoredText] = {}  # By the ids that mabench knows.
        self._times: dict[str, datetime] = {}  # The times of texts by the ids of the system.
        self._closed = False
        try:
            self._open(**own)
        except BaseException:
            self._release()
            raise

    def add(self, text: str, **fields: Any) -> str | None:
        """Store a text with its fields; return its id, or None if the system stored nothing."""
        clean_text, known_fields = self._clean(text), Fields(**fields)
        if not clean_text.strip():
            return None
        ids: Sequence[str] = self._call(self._store, clean_text, known_fields)
        if not ids:
            return None
        self._remember(ids[0], ids, known_fields)
        return ids[0]

    def search(self, query: str, k: int, **fields: Any) -> Sequence[Any]:
        """Return up to ``k`` passages, the best first; with a time, none that are later."""
        clean_query, limits = self._clean(query), Fields(**fields)
        if k <= 0 or not clean_query.strip():
            return []
        found = self._call(self._find, clean_query, k, limits)
        passages = [self._passage(text) for text in found]
        if limits.time is not None:
            passages = [
                passage
                for passage in passages
                if passage["time"] is None or passage["time"] <= limits.time
            ]
        return passages[:k]

    def update(self, id: str, text: str, **fields: Any) -> None:
        """Replace the text with an id, which keeps the id and its fields.

        A new time may be given. If the system made several things of the old text, one is replaced
        and the others are deleted; if it made nothing of the last update, the text is stored anew.
        """
        old = self._stored_text(id)
        clean_text = self._clean(text)
        new_fields = old.fields._replace(time=fields.get("time") or old.fields.time)
        if not clean_text.strip():
            raise ValueError("a text cannot be updated to a blank one; delete it")
        for system_id in old.ids[1:]:
            self._call(self._forget, system_id, new_fields)
        if old.ids:
            new_ids = self._call(self._replace, old.ids[0], clean_text, new_fields)
        else:
            new_ids = self._call(self._store, clean_text, new_fields)
        self._remember(id, new_ids, new_fields)

    def delete(self, *, id: str | None = None, user: str | None = None) -> None:
        """Delete the text with an id; without an id, all texts of a user."""
        text_ids = []
        if id is not None:
            text_ids = [id]
        elif user is not None:
            texts = list(self._texts.items())  # A copy: other threads may add texts meanwhile.
            text_ids = [text_id for text_id, stored in texts if stored.fields.user == user]
        for text_id in text_ids:
            stored = self._stored_text(text_id)
            for system_id in stored.ids:
                self._call(self._forget, system_id, stored.fields)
            del self._texts[text_id]

    def list(self, *, user: str | None = None) -> Sequence[Any]:
        """Return all texts, or those of a user, as passages without scores."""
        texts = self._call(self._find, None, sys.maxsize, Fields(user=user))
        return [self._passage(text._replace(score=None)) for text in texts]

    def stats(self) -> dict[str, int]:
        """Return the number of memories, and the bytes on disk if the memory has a folder."""
        stats = {"memories": self._call(self._count)}
        if self._folder is not None:
            files = (path for path in self._folder.rglob("*") if path.is_file())
            stats["bytes"] = sum(path.stat().st_size for path in files)
        return stats

    def close(self) -> None:
        """Close the system and delete what it wrote; a second call does nothing."""
        if self._closed:
            return
        try:
            self._call(self._end)
        finally:
            self._closed = True
            self._release()

    def _release(self) -> None:
        """Close the adapter's own event loop and delete its own folder, if it has them."""
        if self._loop is not None:
            self._loop.close()
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)

    def _count(self) -> Any:
        """Return the number of memories; an adapter may have a quicker way than to list them."""
        return len(list(self._call(self._find, None, sys.maxsize, Fields())))

    def _replace(self, id: str, text: str, fields: Fields) -> Any:
        """Replace what has one of the system's ids by a text; return the ids of what it made of it.

        For systems that cannot update, it is deleted and the text stored anew.
        """
        self._call(self._forget, id, fields)
        return self._call(self._store, text, fields)

    def _call(self, method: Callable[..., Any], *arguments: Any) -> Any:
        """Call a method of the adapter, wait for its result if it is asynchronous, and return it.

        Raises ``ValueError`` if the memory is closed.
        """
        with self._lock:
            if self._closed:
                raise ValueError("this memory is closed")
            result = method(*arguments)
            return self._wait(result) if iscoroutine(result) else result

    def _import(self, module: str) -> Any:
        """Import a module of the system; an ``ImportError`` says how to install it."""
        try:
            return import_module(module)
        except ModuleNotFoundError as error:
            extra = self.mabench_capabilities["extra"]
            raise ImportError(
                f"{extra} is not installed ({error.name}); install what the extra {extra} of "
                "mabench brings, or name an environment that has it with `python`"
            ) from error

    def _embedder(self) -> Callable[[Sequence[str]], Any]:
        """Return a function that turns texts into vectors, by a local model or a server."""
        server = self._server
        if server is None:
            return LocalEmbeddings(self._embeddings)
        client = self._import("openai").OpenAI(base_url=server.url, api_key=server.key)

        def embed(texts: Sequence[str]) -> Sequence[Any]:
            reply = client.embeddings.create(model=server.name, input=texts)
            return [entry.embedding for entry in reply.data]

        return embed

    def _remember(self, id: str, system_ids: Sequence[str], fields: Fields) -> None:
        """Remember which ids the system gave to a text, and its fields; ``id`` is mabench's."""
        self._texts[id] = StoredText(system_ids, fields)
        for system_id in system_ids:
            self._times.pop(system_id, None)  # Some systems give the id of a deleted text again.
            if fields.time is not None:
                self._times[system_id] = fields.time

    def _stored_text(self, id: str) -> StoredText:
        """Return what is remembered of the text with an id; raises ``LookupError`` without one."""
        if id not in self._texts:
            raise LookupError(f"no text has the id {id!r}")
        return self._texts[id]

    def _passage(self, found: Found) -> dict[str, Any]:
        """Return a found text as mabench's passage, with the earliest time of what it comes from.

        The time is None if none is known.
        """
        times = [self._times[id] for id in found.ids if id in self._times]
        return {"text": found.text, "score": found.score, "time": min(times, default=None)}


def _embedding_server(
    embeddings: str, url: str | None, model: Mapping[str, str] | None
) -> EmbeddingServer | None:
    """Return the server that embeds texts, by the settings of an adapter; None for a local model.

    It is the one at ``url``; by default the server of the language model; without either, OpenAI's
    client decides by itself.
    """
    name = embeddings.removeprefix("openai/")
    if name == embeddings:
        return None
    if url is not None:
        return EmbeddingServer(name, url, os.environ.get("OPENAI_API_KEY"))
    if model:
        return EmbeddingServer(name, model["base_url"], model["api_key"])
    return EmbeddingServer(name, None, None)
