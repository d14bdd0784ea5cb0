"""Which embedding model a name and its settings mean."""

from __future__ import annotations

from functools import cache

from mabench.errors import UsageError
from mabench.models.embeddings.local import load_sentence_transformer, load_transformer
from mabench.models.embeddings.served import SERVED, ServedEmbedder
from mabench.models.embeddings.vectors import Embedder


@cache
def make_embedder(name: str, base_url: str | None = None, pooling: str | None = None) -> Embedder:
    """Return the embedding model of that name; a process loads it once.

    ``openai/NAME`` is on a server that speaks as OpenAI does, at ``base_url``, else at
    ``OPENAI_BASE_URL``, else OpenAI's own. Any other name is the folder of a sentence-transformers
    model, or its name on the hub; with a ``pooling``, ``cls`` or ``mean``, that of any transformer.

    Raises:
        MissingPackageError: when the package that it takes is not installed.
        UsageError: when the model cannot be loaded, or a server is to pool or has no key.
    """
    if not name.startswith(SERVED):
        return load_transformer(name, pooling) if pooling else load_sentence_transformer(name)
    if pooling:
        raise UsageError(
            f"pooling={pooling}: servers do their own pooling; leave it out with {name}",
            parameter="settings",
        )
    return ServedEmbedder(name.removeprefix(SERVED), base_url)
