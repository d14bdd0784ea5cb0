"""What the adapters share. It travels with them, so like them it imports nothing of mabench.

They import it as ``from ._shared import ...``: in another environment the worker loads an adapter
as a module of a package that is made of the adapter's folder. Runs with Python 3.9.
"""

from __future__ import annotations

import asyncio
import os
import shutil
import tempfile
import threading
from collections.abc import Callable, Coroutine, Iterable, Mapping
from datetime import datetime
from importlib import import_module
from itertools import zip_longest
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

_SERVED = "openai/"


def require(module: str, extra: str) -> Any:
    """Import a module that ``mabench[extra]`` brings.

    Raises:
        ImportError: when it is not there, with what to do.
    """
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        raise not_installed(extra, error.name) from error


def not_installed(extra: str, module: str | None = None) -> ImportError:
    """Return the error that says that a system is not installed, and what to do."""
    which = f" ({module})" if module else ""
    return ImportError(
        f"{extra} is not installed{which}; install what the extra {extra} of mabench brings, "
        "or name an environment that has it with `python`"
    )


def encodable(text: str) -> str:
    """Return the text with lone surrogates, which no tokenizer takes, as question marks."""
    return text.encode("utf-8", "replace").decode("utf-8")


def storable(text: str) -> str:
    """Return an encodable text without NULs, at which the strings of some databases end."""
    return encodable(text.replace("\0", " "))


class Folder:
    """A temporary folder of one instance."""

    def __init__(self, system: str) -> None:
        self.path = Path(tempfile.mkdtemp(prefix=f"mabench-{system}-"))

    def bytes(self) -> int:
        """Return how many bytes its files take."""
        return sum(path.stat().st_size for path in self.path.rglob("*") if path.is_file())

    def remove(self) -> None:
        """Delete it with all that it holds."""
        shutil.rmtree(self.path, ignore_errors=True)


class EventLoop:
    """An event loop in a thread of its own: clients that belong to one loop can be called there."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()

    def run(self, work: Coroutine[Any, Any, Any]) -> Any:
        """Wait for the result of a coroutine; raises a ``ValueError`` once it is closed."""
        if self.is_closed:
            work.close()
            raise ValueError("this memory is closed")
        return asyncio.run_coroutine_threadsafe(work, self._loop).result()

    @property
    def is_closed(self) -> bool:
        """Whether the loop has ended."""
        return self._loop.is_closed()

    def close(self) -> None:
        """End the loop and its thread."""
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()


class SystemMemory:
    """What the memories of all systems have in common.

    An adapter's methods take by name what its system has. A text without a user is in a store of
    its own, beside those of the users, and a search or a list without one is of all of them.

    Args:
        model: ``name``, ``base_url`` and ``api_key`` of a language model. Its server is the default
            for embeddings, too, also where the system itself asks no language model.
        embeddings: name or path of a sentence-transformers model, or ``openai/NAME`` for a server.
        embeddings_url: base URL of the server of ``openai/NAME``, of which the key is
            ``OPENAI_API_KEY``; the model's server by default.
    """

    # What mabench is told: the module that it adapts, the extra that brings it, and more.
    mabench_capabilities: ClassVar[Mapping[str, object]]
    # Whether each field and method is ``native`` to the system or ``emulated`` here; the rest none.
    mabench_support: ClassVar[Mapping[str, str]]
    _clean: Callable[[str], str] = staticmethod(encodable)

    def _storable(self, text: str) -> str:
        """Return a text or query as the system can encode it; empty where it is blank."""
        text = self._clean(text)
        return text if text.strip() else ""


_BEFORE_ALL = -1e12  # Seconds since 1970: long before any time that a datetime has.


def stamp_of(time: datetime | None) -> dict[str, Any]:
    """Return a time as ``time``, in ISO 8601, and as the number ``at``, which filters compare.

    A text without a time was always there.
    """
    if time is None:
        return {"time": "", "at": _BEFORE_ALL}
    return {"time": time.isoformat(), "at": time.timestamp()}


def passage(text: str, score: float | None, time: str | None) -> dict[str, Any]:
    """Return a passage as mabench reads it; ``time`` in ISO 8601, empty or None where unknown."""
    return {"text": text, "score": score, "time": time or None}


def key_of(user: str | None) -> str:
    """Return letters and digits that stand for a user, or for none, and for no other."""
    return "nobody" if user is None else f"user{user.encode('utf-8', 'surrogatepass').hex()}"


def interleave(rankings: Iterable[Iterable[str]]) -> list[str]:
    """Return what rankings without scores have in common order: all firsts, then all seconds."""
    return [one for rank in zip_longest(*rankings) for one in rank if one is not None]


def unknown(id: object) -> LookupError:
    """Return the error that says that no text has an id."""
    return LookupError(f"no text has the id {id!r}")


class EmbeddingServer(NamedTuple):
    """A model on a server that embeds; without URL or key, those of OpenAI's client hold."""

    name: str
    url: str | None
    key: str | None


def embedding_server(
    embeddings: str, url: str | None, model: Mapping[str, str] | None
) -> EmbeddingServer | None:
    """Return the server of ``openai/NAME``; None for any other name: that of a local model.

    It is the one at ``url``, with the key ``OPENAI_API_KEY``; without a URL, that of the model.
    """
    if not embeddings.startswith(_SERVED):
        return None
    name = embeddings[len(_SERVED) :]
    if url is not None:
        return EmbeddingServer(name, url, os.environ.get("OPENAI_API_KEY"))
    if model is not None:
        return EmbeddingServer(name, model["base_url"], model["api_key"])
    return EmbeddingServer(name, None, None)


def embed_on(server: EmbeddingServer, extra: str) -> Callable[[list[str]], list[list[float]]]:
    """Return a function that has a server embed texts, with the client that ``extra`` brings."""
    client: Any = require("openai", extra).OpenAI(base_url=server.url, api_key=server.key)
    return lambda texts: [
        each.embedding for each in client.embeddings.create(model=server.name, input=texts).data
    ]


class LocalEmbeddings:
    """A sentence-transformers model as a function from texts to vectors, for any thread.

    Attributes:
        window: how many tokens of a text it sees.
    """

    def __init__(self, name: str) -> None:
        self._model: Any = import_module("sentence_transformers").SentenceTransformer(name)
        self._lock = threading.Lock()  # A tokenizer must not be used by two threads at once.
        self.window = self._model.max_seq_length

    def __call__(self, texts: list[str]) -> list[list[float]]:
        """Return a vector for each text."""
        with self._lock:
            vectors: Any = self._model.encode(texts, show_progress_bar=False)
        return [[float(x) for x in vector] for vector in vectors]
