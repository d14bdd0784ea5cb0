"""Embedding models: texts to vectors of unit length, so that a product is a cosine."""

from __future__ import annotations

import os
import threading
from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, Protocol

from mabench.errors import UsageError, require
from mabench.models.redirects import check_redirect
from mabench.models.transformer import TransformerEmbedder

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Vectors = NDArray[np.float32]

_OPENAI = "openai/"
_BATCH = 64


class Embedder(Protocol):
    """A model that turns texts into vectors.

    Attributes:
        window: how many tokens of a text it sees.
        truncates: whether it drops the rest of a longer text by itself; else it refuses the text.
    """

    window: int
    truncates: bool

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return a matrix of ``len(texts)`` rows of unit length, as 32-bit floats."""


@cache
def make_embedder(name: str, base_url: str | None = None, pooling: str | None = None) -> Embedder:
    """Return the embedding model of that name; a process loads it once.

    Args:
        name: ``openai/NAME`` for a server that speaks as OpenAI does, else the folder of a
            sentence-transformers model, or its name on the hub.
        base_url: the server; else ``OPENAI_BASE_URL``, else OpenAI's own.
        pooling: ``cls`` or ``mean``, of a transformer that need be no sentence-transformers
            model; the model's own when None.

    Raises:
        MissingPackageError: when the package that it takes is not installed.
        UsageError: when the model cannot be loaded, there is no key for the server, or a pooling
            is given for a server.
    """
    if not name.startswith(_OPENAI):
        return TransformerEmbedder(name, pooling) if pooling else _SentenceTransformer(name)
    if pooling:
        raise UsageError(
            f"pooling={pooling}: a server pools by itself; leave it out with {name}",
            parameter="settings",
        )
    return _Server(name.removeprefix(_OPENAI), base_url)


class _SentenceTransformer:
    truncates = True

    def __init__(self, name: str) -> None:
        package = require("sentence_transformers", "embeddings")
        require("transformers", "embeddings").utils.logging.disable_progress_bar()
        try:
            self._model = package.SentenceTransformer(name)
        except Exception as error:
            raise UsageError(
                f"embeddings={name}: no sentence-transformers model could be loaded "
                f"({type(error).__name__}); give the folder of one, its name on the hub, or "
                "openai/NAME"
            ) from error
        self.window = int(self._model.max_seq_length or 512)
        self._one_at_a_time = threading.Lock()

    def embed(self, texts: Sequence[str]) -> Vectors:
        with self._one_at_a_time:
            vectors: Vectors = self._model.encode(
                list(texts), batch_size=_BATCH, normalize_embeddings=True, show_progress_bar=False
            )
        return vectors


class _Server:
    window = 8_000  # OpenAI's embedding models take 8,191 tokens.
    truncates = False

    def __init__(self, name: str, base_url: str | None) -> None:
        openai = require("openai", "openai")
        url = base_url or os.environ.get("OPENAI_BASE_URL")
        key = os.environ.get("OPENAI_API_KEY")
        if not key and not url:
            raise UsageError(f"no key for {_OPENAI}{name}: set OPENAI_API_KEY, or name a server")
        self._name = name
        self._client: Any = openai.OpenAI(
            api_key=key or "none",
            base_url=url,
            max_retries=5,
            http_client=openai.DefaultHttpxClient(event_hooks={"response": [check_redirect]}),
        )

    def embed(self, texts: Sequence[str]) -> Vectors:
        import numpy as np

        # A server may refuse an empty text; a blank one has no meaning either.
        inputs = [text.strip() or "." for text in texts]
        rows: list[list[float]] = []
        for start in range(0, len(inputs), _BATCH):
            reply = self._client.embeddings.create(
                model=self._name, input=inputs[start : start + _BATCH], encoding_format="float"
            )
            rows += [one.embedding for one in sorted(reply.data, key=lambda item: item.index)]
        vectors = np.array(rows, dtype=np.float32)
        lengths = np.linalg.norm(vectors, axis=-1, keepdims=True)
        unit: Vectors = vectors / np.maximum(lengths, 1e-12)
        return unit
