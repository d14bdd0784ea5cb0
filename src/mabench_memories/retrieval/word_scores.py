"""How well texts fit a query by their words: two recipes of BM25."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mabench.installation import import_lock
from mabench.text.stems import stem

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from mabench_memories.retrieval.texts import Scorer

# Of Okapi's weights.
_K1, _B, _FLOOR = 1.5, 0.75, 0.25


def _lucene_scorer(texts: list[str]) -> Scorer:
    import numpy as np

    with import_lock:
        import bm25s
        from bm25s.tokenization import Tokenizer

    quietly = {"allow_empty": False, "show_progress": False}
    tokenizer = Tokenizer(stopwords="english", stemmer=stem)
    ids = tokenizer.tokenize(texts, update_vocab=True, **quietly)
    vocabulary = tokenizer.get_vocab_dict()
    index = bm25s.BM25()
    if vocabulary:
        index.index((ids, vocabulary), create_empty_token=False, show_progress=False)

    def scores(query: str) -> NDArray[Any]:
        [words] = tokenizer.tokenize([query], update_vocab=False, **quietly)
        return index.get_scores(words) if words else np.zeros(len(texts))

    return scores


def _okapi_scorer(texts: list[str]) -> Scorer:
    """Score as the retriever behind the published figures does (arXiv 2507.05257).

    Words are what is between white space, case and punctuation kept. The weights are Okapi's
    with k1 = 1.5 and b = 0.75 (Robertson and Zaragoza, 2009), by the recipe of the package
    rank_bm25: a word in more than half of the texts, whose weight would be negative, gets a
    quarter of the mean weight of all words. A word that the query has twice counts twice.
    """
    import numpy as np

    with import_lock:
        from sklearn.feature_extraction.text import CountVectorizer

    if not any(map(str.split, texts)):
        return lambda query: np.zeros(len(texts))
    words = CountVectorizer(analyzer=str.split)
    weights = words.fit_transform(texts).astype(float)  # Texts by words: how often it occurs.
    lengths = np.asarray(weights.sum(axis=1)).ravel()
    holding = np.bincount(weights.indices, minlength=weights.shape[1])  # Texts, by word.
    rarity = np.log(len(texts) - holding + 0.5) - np.log(holding + 0.5)
    rarity = np.where(rarity < 0, _FLOOR * rarity.mean(), rarity)
    of_text = np.repeat(np.arange(len(texts)), np.diff(weights.indptr))
    damping = _K1 * (1 - _B + _B * lengths / lengths.mean())
    occurs = weights.data
    weights.data = rarity[weights.indices] * occurs * (_K1 + 1) / (occurs + damping[of_text])

    def scores(query: str) -> NDArray[Any]:
        return np.asarray((weights @ words.transform([query]).T).todense()).ravel()

    return scores


RECIPES = {"mabench": _lucene_scorer, "published": _okapi_scorer}
