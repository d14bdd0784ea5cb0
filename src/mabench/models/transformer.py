"""Embeddings of a transformer with a pooling of one's choice, by the transformers package.

The published figures of Contriever and Qwen3 (arXiv 2507.05257) rest on poolings that are not the
models' own: the first token's state, and the mean of all states. A text is cut where the
tokenizer's window ends. One text is embedded at a time, so that no padding takes part.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from mabench.errors import UsageError, require

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Vectors = NDArray[np.float32]

# From the states of a text's tokens, one a row, to one vector.
POOLINGS: Mapping[str, Callable[[Vectors], Vectors]] = {
    "cls": lambda states: states[0],
    "mean": lambda states: states.mean(axis=0),
}


class TransformerEmbedder:
    """A transformer whose last states are pooled.

    Args:
        name: the folder of the model, or its name on the hub.
        pooling: ``cls`` for the state of the first token, ``mean`` for the mean of all.

    Attributes:
        window: how many tokens of a text it sees.
        truncates: it drops the rest of a longer text by itself.

    Raises:
        MissingPackageError: when transformers or torch is not installed.
        UsageError: when there is no such pooling, or the model cannot be loaded.
    """

    truncates = True

    def __init__(self, name: str, pooling: str) -> None:
        if pooling not in POOLINGS:
            known = ", ".join(POOLINGS)
            raise UsageError(f"pooling={pooling}: there are {known}", parameter="settings")
        self._pool = POOLINGS[pooling]
        package = require("transformers", "embeddings")
        self._torch = require("torch", "embeddings")
        self._device = "cuda" if self._torch.cuda.is_available() else "cpu"
        try:
            self._tokenizer: Any = package.AutoTokenizer.from_pretrained(name)
            model = package.AutoModel.from_pretrained(name)
        except Exception as error:
            raise UsageError(
                f"embeddings={name}: no transformer could be loaded ({type(error).__name__}); "
                "give the folder of one, or its name on the hub",
                parameter="settings",
            ) from error
        self._model: Any = model.float().to(self._device).eval()
        self.window = int(self._tokenizer.model_max_length)
        self._one_at_a_time = threading.Lock()

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return a matrix of ``len(texts)`` rows of unit length, as 32-bit floats."""
        import numpy as np

        with self._one_at_a_time, self._torch.no_grad():
            vectors = np.stack([self._pool(self._states(text)) for text in texts])
        unit: Vectors = vectors / np.maximum(np.linalg.norm(vectors, axis=-1, keepdims=True), 1e-12)
        return unit

    def _states(self, text: str) -> Vectors:
        """Return the last states of the text's tokens, one a row."""
        tokens = self._tokenizer(text, truncation=True, return_tensors="pt").to(self._device)
        states: Vectors = self._model(**tokens).last_hidden_state[0].cpu().numpy()
        return states
