"""Scores texts for a query by their words: two recipes of BM25."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mabench.installation import import_lock
from mabench.text.stems import stem

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from mabench_memories.retrieval.texts import Scorer

# The constants of Okapi BM25, and the part of the mean weight that common words get.
_K1, _B, _FLOOR = 1.5, 0.75, 0.25


def _lucene_scorer(texts: list[str]) -> Scorer:
    """Score as Lucene does, by bm25s: stop words are dropped and words are stemmed."""
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
    vectorizer = CountVectorizer(analyzer=str.split)
    # A row for each text and a column for each word: how often the word occurs, later its weight.
    weights = vectorizer.fit_transform(texts).astype(float)
    lengths = np.asarray(weights.sum(axis=1)).ravel()
    texts_with_word = np.bincount(weights.indices, minlength=weights.shape[1])
    rarity = np.log(len(texts) - texts_with_word + 0.5) - np.log(texts_with_word + 0.5)
    rarity = np.where(rarity < 0, _FLOOR * rarity.mean(), rarity)
    # The text of each count.
    of_text = np.repeat(np.arange(len(texts)), np.diff(weights.indptr))
    damping = _K1 * (1 - _B + _B * lengths / lengths.mean())
    counts = weights.data
    weights.data = rarity[weights.indices] * counts * (_K1 + 1) / (counts + damping[of_text])

    def scores(query: str) -> NDArray[Any]:
        return np.asarray((weights @ vectorizer.transform([query]).T).todense()).ravel()

    return scores


RECIPES = {"mabench": _lucene_scorer, "published": _okapi_scorer}
