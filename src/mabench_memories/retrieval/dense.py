"""``dense``, the memory that searches by meaning: by the cosines of embeddings.

``TextMemory`` (``texts.py``) stores the texts and has the methods that mabench calls; here is how a
text is found. A scorer is a function that returns the scores of all stored texts for a query. The
vectors of the embedder have unit length, so that their products are cosines.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from mabench.errors import UsageError
from mabench.models import make_embedder
from mabench.text import truncate_tokens
from mabench_memories.retrieval.texts import Features, StoredText, TextMemory
from mabench_memories.retrieval.windows import average_windows, cut_windows

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from mabench.models.embeddings.vectors import Vectors
    from mabench_memories.retrieval.texts import Scorer

# The model unless another is named.
EMBEDDINGS = "sentence-transformers/all-MiniLM-L6-v2"
# The share of a model's window that is filled, because tokens are only estimated.
_FILLED_SHARE = 0.8
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
        """Make an empty memory; the first three arguments are those of ``make_embedder``.

        Raises ``UsageError`` for another word in ``long_texts`` than the class describes.
        """
        super().__init__()
        if long_texts not in _LONG_TEXTS:
            message = f"long_texts={long_texts}: there are {', '.join(_LONG_TEXTS)}"
            raise UsageError(message, parameter="settings")
        self._embedder = make_embedder(embeddings, base_url, pooling)
        self._window_tokens = int(_FILLED_SHARE * self._embedder.window)
        self._long_texts = long_texts

    def _features_of(self, text: str) -> Features:
        """Return the vectors by which a text is found: one, or one for each of its windows."""
        if self._long_texts == "cut":
            vectors = self._embedder.embed([self._beginning(text)])
        else:
            windows = cut_windows(text, self._window_tokens)
            vectors = self._embedder.embed(windows)
            if self._long_texts == "mean":
                vectors = average_windows(vectors, windows)
        return Features(bytes=vectors.nbytes, vectors=vectors)

    def _make_scorer(self, texts: Sequence[StoredText]) -> Scorer:
        """Return a scorer of these texts: a text scores as the vector of it that is nearest."""
        import numpy as np

        vectors_of_texts: list[Vectors] = [stored.features.vectors for stored in texts]
        vectors = np.concatenate(vectors_of_texts)
        # The place of the text to which each vector belongs.
        owners = np.repeat(np.arange(len(texts)), [len(rows) for rows in vectors_of_texts])

        def score(query: str) -> NDArray[Any]:
            """Return the score of each text for a query."""
            [query_vector] = self._embedder.embed([self._beginning(query)])
            best = np.full(len(texts), -np.inf)
            np.maximum.at(best, owners, vectors @ query_vector)
            return best

        return score

    def _beginning(self, text: str) -> str:
        """Return the beginning of a text that fits into the model's window."""
        # A model that truncates texts by itself does so exactly.
        if self._long_texts == "cut" and self._embedder.truncates:
            return text
        return truncate_tokens(text, self._window_tokens)
