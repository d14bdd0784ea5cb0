"""``SystemMemory``, the base class of all adapters of memory systems."""

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
from typing import Any, ClassVar

from .declared_fields import FIELDS, declare_fields
from .embeddings import EmbeddingServer, LocalEmbeddings
from .event_loop import EventLoop
from .texts import Fields, Found, encodable


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
    _clean: Callable[[str], str] = staticmethod(encodable)
    # The methods of an adapter. With ``_wait``, they may be asynchronous. ``_store`` returns the
    # ids that the system gave to what it made of a text. ``_find`` returns ``Found`` texts; without
    # a query, all texts.
    _open: Callable[..., None]
    _store: Callable[[str, Fields], Any]
    _find: Callable[[str | None, int, Fields], Any]
    _forget: Callable[[str, Fields], Any]
    _end: Callable[[], Any]
    _wait: Callable[[Coroutine[Any, Any, Any]], Any]
    _usual_embeddings = "sentence-transformers/all-MiniLM-L6-v2"
    # An adapter may have a folder and an event loop of its own, and a lock for its calls.
    _folder: Path | None = None
    _loop: EventLoop | None = None
    _turn: AbstractContextManager[Any] = nullcontext()

    def __init_subclass__(cls, *, native: str, emulated: str = "") -> None:
        """Let the methods declare the fields that the class supports, given as lists of words."""
        kinds = {"native": native.split(), "emulated": emulated.split()}
        cls.mabench_support = {name: kind for kind, names in kinds.items() for name in names}
        for name, fields in FIELDS.items():
            own = [field for field in fields if field == "id" or field in cls.mabench_support]
            setattr(cls, name, declare_fields(getattr(cls, name), own))
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
        self._model, self._embeddings = model, embeddings or self._usual_embeddings
        self._server: EmbeddingServer | None = None
        name = self._embeddings.removeprefix("openai/")
        if name != self._embeddings:
            url, key = embeddings_url, os.environ.get("OPENAI_API_KEY")
            if url is None and model:
                url, key = model["base_url"], model["api_key"]
            elif url is None:
                key = None  # OpenAI's client uses its own URL and key.
            self._server = EmbeddingServer(name, url, key)
        self._texts: dict[str, tuple[Sequence[str], Fields]] = {}
        self._times: dict[str, datetime] = {}  # By the ids of the system.
        self._closed = False
        try:
            self._open(**own)
        except BaseException:
            self._release()
            raise

    def add(self, text: str, **fields: Any) -> str | None:
        """Store a text; return its id, or None if the system stored nothing."""
        text, told = self._clean(text), Fields(**fields)
        ids = self._do(self._store, text, told) if text.strip() else []
        if ids:
            self._note(ids[0], ids, told)
        return ids[0] if ids else None

    def search(self, query: str, k: int, **fields: Any) -> Sequence[Any]:
        """Return up to ``k`` passages, the best first; with a time, none that are later."""
        query, asked = self._clean(query), Fields(**fields)
        if k <= 0 or not query.strip():
            return []
        passages = [self._passage(one) for one in self._do(self._find, query, k, asked)]
        if asked.time is not None:
            passages = [one for one in passages if one["time"] is None or one["time"] <= asked.time]
        return passages[:k]

    def update(self, id: str, text: str, **fields: Any) -> None:
        """Replace a text; without a time, the new text has the time of the old one."""
        ids, told = self._get(id)
        text, told = self._clean(text), told._replace(time=fields.get("time") or told.time)
        if not text.strip():
            raise ValueError("a text cannot be updated to a blank one; delete it")
        for further_id in ids[1:]:
            self._do(self._forget, further_id, told)
        if ids:
            new_ids = self._do(self._replace, ids[0], text, told)
        else:
            new_ids = self._do(self._store, text, told)
        self._note(id, new_ids, told)

    def delete(self, *, id: str | None = None, user: str | None = None) -> None:
        """Delete one text by its id, or all texts of a user."""
        keys = []
        if id is not None:
            keys = [id]
        elif user is not None:
            # A copy, because other threads may add texts meanwhile.
            keys = [key for key, (_, told) in [*self._texts.items()] if told.user == user]
        for key in keys:
            ids, told = self._get(key)
            for system_id in ids:
                self._do(self._forget, system_id, told)
            del self._texts[key]

    def list(self, *, user: str | None = None) -> Sequence[Any]:
        """Return all texts, or those of a user."""
        held = self._do(self._find, None, sys.maxsize, Fields(user=user))
        return [self._passage(one._replace(score=None)) for one in held]

    def stats(self) -> dict[str, int]:
        """Return the number of memories, and the bytes on disk if the memory has a folder."""
        memories = {"memories": self._do(self._count)}
        if self._folder is None:
            return memories
        files = (path for path in self._folder.rglob("*") if path.is_file())
        return {**memories, "bytes": sum(path.stat().st_size for path in files)}

    def close(self) -> None:
        """Close the system and delete what it wrote."""
        if not self._closed:
            try:
                self._do(self._end)
            finally:
                self._closed = True
                self._release()

    def _release(self) -> None:
        if self._loop is not None:
            self._loop.close()
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)

    def _count(self) -> Any:
        return len([*self._do(self._find, None, sys.maxsize, Fields())])

    def _replace(self, id: str, text: str, told: Fields) -> Any:
        self._do(self._forget, id, told)
        return self._do(self._store, text, told)

    def _do(self, work: Callable[..., Any], *arguments: Any) -> Any:
        """Call a method of the adapter, and wait for its result if it is asynchronous."""
        with self._turn:
            if self._closed:
                raise ValueError("this memory is closed")
            outcome = work(*arguments)
            return self._wait(outcome) if iscoroutine(outcome) else outcome

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
        """Return a function that embeds texts, by a local model or a server."""
        server = self._server
        if server is None:
            return LocalEmbeddings(self._embeddings)
        client = self._import("openai").OpenAI(base_url=server.url, api_key=server.key)
        return lambda texts: [
            each.embedding for each in client.embeddings.create(model=server.name, input=texts).data
        ]

    def _note(self, id: str, ids: Sequence[str], told: Fields) -> None:
        self._texts[id] = ids, told
        self._times |= {} if told.time is None else dict.fromkeys(ids, told.time)

    def _get(self, id: str) -> tuple[Sequence[str], Fields]:
        if id not in self._texts:
            raise LookupError(f"no text has the id {id!r}")
        return self._texts[id]

    def _passage(self, found: Found) -> dict[str, Any]:
        """Return a passage, with the earliest time of the texts that it comes from."""
        time = min((self._times[id] for id in found.ids if id in self._times), default=None)
        return {"text": found.text, "score": found.score, "time": time}
