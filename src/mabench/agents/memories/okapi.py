"""BM25 as the retriever behind the published figures computes it (arXiv 2507.05257).

Words are what stands between white space, case and punctuation kept. The weights are Okapi's
with k1 = 1.5 and b = 0.75 (Robertson and Zaragoza, 2009), by the recipe of the package rank_bm25:
a word in more than half of the texts, whose weight would be negative, gets a quarter of the mean
weight of all words.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from mabench.imports import import_lock

if TYPE_CHECKING:
    from numpy.typing import NDArray

_K1 = 1.5
_B = 0.75
_FLOOR = 0.25


def okapi_scorer(texts: list[str]) -> Callable[[str], NDArray[Any]]:
    """Index ``texts`` and return the function from a query to their scores, in order.

    A word that the query has twice counts twice; one that no text has counts nothing.
    """
    import numpy as np

    with import_lock:
        from sklearn.feature_extraction.text import CountVectorizer

    if not any(map(str.split, texts)):
        return lambda query: np.zeros(len(texts))
    words = CountVectorizer(analyzer=str.split)
    weights = words.fit_transform(texts).astype(float)  # Texts by words: how often it occurs.
    lengths = np.asarray(weights.sum(axis=1)).ravel()
    rarity = _rarity(np.bincount(weights.indices, minlength=weights.shape[1]), len(texts))
    of_text = np.repeat(np.arange(len(texts)), np.diff(weights.indptr))
    damping = _K1 * (1 - _B + _B * lengths / lengths.mean())
    occurs = weights.data
    weights.data = rarity[weights.indices] * occurs * (_K1 + 1) / (occurs + damping[of_text])

    def scores(query: str) -> NDArray[Any]:
        asked = words.transform([query])
        return np.asarray((weights @ asked.T).todense()).ravel()

    return scores


def _rarity(texts_with: NDArray[Any], texts: int) -> NDArray[Any]:
    """Return the weight of each word from the number of texts that have it."""
    import numpy as np

    rarity = np.log(texts - texts_with + 0.5) - np.log(texts_with + 0.5)
    return np.where(rarity < 0, _FLOOR * rarity.mean(), rarity)
