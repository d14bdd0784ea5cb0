"""Embedding models, which turn texts into vectors: on a server, or in this process."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from importlib import import_module
from typing import Any, NamedTuple


class EmbeddingServer(NamedTuple):
    """An embedding model on a server.

    Where URL or key is None, OpenAI's client uses its defaults.
    """

    name: str
    url: str | None
    key: str | None


class LocalEmbeddings:
    """A sentence-transformers model as a function from texts to vectors, for any thread."""

    def __init__(self, name: str) -> None:
        """Load the model with a name, or from a folder."""
        self._model: Any = import_module("sentence_transformers").SentenceTransformer(name)
        self._lock = threading.Lock()  # A tokenizer must not be used by two threads at once.
        self.window = self._model.max_seq_length  # How many tokens of a text it reads.

    def __call__(self, texts: Sequence[str]) -> list[list[float]]:
        """Return the vectors of texts."""
        with self._lock:
            vectors: Any = self._model.encode(texts, show_progress_bar=False)
        return [[float(x) for x in vector] for vector in vectors]
