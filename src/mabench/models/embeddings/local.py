"""Embedding models that run in this process."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from mabench.errors import UsageError, require
from mabench.models.embeddings.vectors import Embedder, normalize

if TYPE_CHECKING:
    from mabench.models.embeddings.vectors import Vectors

# Each reduces the matrix of a text's token states (one row per token) to one vector.
_POOLINGS: Mapping[str, Callable[[Vectors], Vectors]] = {
    "cls": lambda states: states[0],
    "mean": lambda states: states.mean(axis=0),
}
# How many texts are embedded at a time.
_BATCH = 64
# Tokens that a model reads if it does not say: the limit of BERT.
_DEFAULT_WINDOW = 512


class _LocalEmbedder:
    """A model in this process; it serves one thread at a time."""

    truncates = True

    def __init__(self, window: int, encode: Callable[[Sequence[str]], Vectors]) -> None:
        self.window, self._encode = window, encode
        self._one_at_a_time = threading.Lock()

    def embed(self, texts: Sequence[str]) -> Vectors:
        # Tokenizers fail on lone surrogates.
        valid = [text.encode("utf-8", "replace").decode() for text in texts]
        with self._one_at_a_time:
            return self._encode(valid)


def load_sentence_transformer(name: str) -> Embedder:
    """Load a model of sentence-transformers from a folder, or by its name on the hub.

    Raises:
        MissingPackageError: when sentence-transformers is not installed.
        UsageError: when there is no such model.
    """
    package = require("sentence_transformers", "embeddings")
    require("transformers", "embeddings").utils.logging.disable_progress_bar()
    try:
        model = package.SentenceTransformer(name)
    except Exception as error:
        raise UsageError(
            f"embeddings={name}: no sentence-transformers model could be loaded "
            f"({type(error).__name__}); give the folder of one, its name on the hub, or openai/NAME"
        ) from error
    encode = partial(
        model.encode, batch_size=_BATCH, normalize_embeddings=True, show_progress_bar=False
    )
    window = int(model.max_seq_length or _DEFAULT_WINDOW)
    return _LocalEmbedder(window, lambda texts: encode(list(texts)))


def load_transformer(name: str, pooling: str) -> Embedder:
    """Load a transformer and pool its last hidden states into one vector per text.

    ``pooling`` is ``cls`` (the first token's state) or ``mean``. Texts are embedded one at a time,
    without padding, as for the published figures of Contriever and Qwen3 (arXiv 2507.05257).

    Raises:
        MissingPackageError: when transformers or torch is not installed.
        UsageError: when there is no such pooling or model.
    """
    if pooling not in _POOLINGS:
        raise UsageError(
            f"pooling={pooling}: there are {', '.join(_POOLINGS)}", parameter="settings"
        )
    package, torch = require("transformers", "embeddings"), require("torch", "embeddings")
    device = "cuda" if torch.cuda.is_available() else "cpu"
    try:
        tokenizer: Any = package.AutoTokenizer.from_pretrained(name)
        model: Any = package.AutoModel.from_pretrained(name).float().to(device).eval()
    except Exception as error:
        raise UsageError(
            f"embeddings={name}: no transformer could be loaded ({type(error).__name__}); "
            "give the folder of one, or its name on the hub",
            parameter="settings",
        ) from error

    def encode(texts: Sequence[str]) -> Vectors:
        """Return one pooled vector of unit length for each text."""
        import numpy as np

        vectors = []
        with torch.no_grad():
            for text in texts:
                tokens = tokenizer(text, truncation=True, return_tensors="pt")
                states = model(**tokens.to(device)).last_hidden_state[0]
                vectors.append(_POOLINGS[pooling](states.cpu().numpy()))
        return normalize(np.stack(vectors))

    return _LocalEmbedder(int(tokenizer.model_max_length), encode)
