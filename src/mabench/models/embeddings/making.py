"""Makes the embedding model that a name and its settings describe."""

from __future__ import annotations

from functools import cache

from mabench.errors import UsageError
from mabench.models.embeddings.local import load_sentence_transformer, load_transformer
from mabench.models.embeddings.served import SERVED, ServedEmbedder
from mabench.models.embeddings.vectors import Embedder


@cache
def make_embedder(name: str, base_url: str | None = None, pooling: str | None = None) -> Embedder:
    """Return an embedding model; each is loaded once in a process.

    ``openai/NAME`` is a model on a server that speaks OpenAI's protocol, at ``base_url``, else at
    ``OPENAI_BASE_URL``, else OpenAI's own. Any other name is a sentence-transformers model: its
    folder or its name on the hub. With a ``pooling`` (``cls`` or ``mean``) it may be any
    transformer.

    Raises:
        MissingPackageError: when the package that loads it is not installed.
        UsageError: when the model cannot be loaded, the server has no key, or a pooling is asked
            of a server.
    """
    if not name.startswith(SERVED):
        return load_transformer(name, pooling) if pooling else load_sentence_transformer(name)
    if pooling:
        raise UsageError(
            f"pooling={pooling}: servers do their own pooling; leave it out with {name}",
            parameter="settings",
        )
    return ServedEmbedder(name.removeprefix(SERVED), base_url)
