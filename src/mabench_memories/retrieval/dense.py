"""``dense``, the memory that searches by meaning: by the cosines of embeddings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from mabench.errors import UsageError
from mabench.models import make_embedder
from mabench.text import truncate_tokens
from mabench_memories.retrieval.texts import HeldText, TextMemory
from mabench_memories.retrieval.windows import average_windows, cut_windows

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from mabench.models.embeddings.vectors import Vectors
    from mabench_memories.retrieval.texts import Scorer

# The model unless another is named.
EMBEDDINGS = "sentence-transformers/all-MiniLM-L6-v2"
# The part of a model's window that is filled, because tokens are only estimated.
_FILLED = 0.8
_LONG_TEXTS = ("best", "mean", "cut")


class DenseMemory(TextMemory):
    """Finds texts by the cosine of their embeddings with the query's.

    The model is that of ``make_embedder``. A text that is longer than the model's window is cut
    into windows, between sentences. With ``long_texts`` as ``best``, it scores as its best window
    (MaxP of Dai and Callan, 2019); as ``mean``, by the mean of its windows, weighted by their
    lengths; as ``cut``, by its beginning, and the rest is dropped.
    """

    mabench_capabilities: ClassVar[Mapping[str, object]] = {
        "deterministic": True,
        "embeds": True,
    }

    def __init__(
        self,
        embeddings: str = EMBEDDINGS,
        base_url: str | None = None,
        pooling: str | None = None,
        long_texts: str = "best",
    ) -> None:
        super().__init__()
        if long_texts not in _LONG_TEXTS:
            there = f"long_texts={long_texts}: there are {', '.join(_LONG_TEXTS)}"
            raise UsageError(there, parameter="settings")
        self._embedder = make_embedder(embeddings, base_url, pooling)
        self._window = int(_FILLED * self._embedder.window)
        self._long_texts = long_texts

    def _make(self, text: str) -> tuple[int, Vectors]:
        if self._long_texts == "cut":
            vectors = self._embedder.embed([self._beginning(text)])
        else:
            windows = cut_windows(text, self._window)
            vectors = self._embedder.embed(windows)
            if self._long_texts == "mean":
                vectors = average_windows(vectors, windows)
        return vectors.nbytes, vectors

    def _scorer(self, texts: Sequence[HeldText]) -> Scorer:
        import numpy as np

        # The number of the text to which each vector belongs.
        owners = np.repeat(np.arange(len(texts)), [len(one.made) for one in texts])
        vectors = np.concatenate([one.made for one in texts])

        def scores(query: str) -> NDArray[Any]:
            [wanted] = self._embedder.embed([self._beginning(query)])
            best = np.full(len(texts), -np.inf)
            np.maximum.at(best, owners, vectors @ wanted)
            return best

        return scores

    def _beginning(self, text: str) -> str:
        """Return the beginning of a text that fits into the model's window."""
        # A model that truncates texts by itself does so exactly.
        if self._long_texts == "cut" and self._embedder.truncates:
            return text
        return truncate_tokens(text, self._window)
