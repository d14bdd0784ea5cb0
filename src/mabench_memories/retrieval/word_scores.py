"""Scores texts for a query by their words: two recipes of BM25."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from mabench.installation import import_lock
from mabench.text.stems import stem

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from mabench_memories.retrieval.texts import Scorer

# The constants of Okapi BM25, and the part of the mean weight that common words get.
_K1, _B, _FLOOR = 1.5, 0.75, 0.25


class _LuceneIndexer:
    """Scores as Lucene does, by bm25s: stop words are dropped and words are stemmed.

    Each text is read once, however often an index is made anew.
    """

    def __init__(self) -> None:
        with import_lock:
            from bm25s.tokenization import Tokenizer

        self._tokenizer = Tokenizer(stopwords="english", stemmer=stem)
        # The numbers of the words of each text of the last index.
        self._words: dict[str, list[int]] = {}

    def __call__(self, texts: Sequence[str]) -> Scorer:
        """Return what scores these texts; only one thread may call this at a time."""
        import bm25s
        import numpy as np

        words = self._read(texts)
        # Numbers of words; what is read later has others beside them.
        vocabulary = dict(self._tokenizer.get_vocab_dict())
        index = bm25s.BM25()
        is_empty = not any(words)
        if not is_empty:
            index.index((words, vocabulary), create_empty_token=False, show_progress=False)

        def scores(query: str) -> NDArray[Any]:
            [asked] = self._number([query], update_vocab=False)
            known = [number for number in asked if number < len(vocabulary)]
            return np.zeros(len(texts)) if is_empty or not known else index.get_scores(known)

        return scores

    def _read(self, texts: Sequence[str]) -> list[list[int]]:
        """Return the numbers of the words of each text, and keep them for the next index."""
        new = [text for text in dict.fromkeys(texts) if text not in self._words]
        numbers = dict(zip(new, self._number(new, update_vocab=True), strict=True)) if new else {}
        kept = self._words
        self._words = {text: numbers[text] if text in numbers else kept[text] for text in texts}
        return [self._words[text] for text in texts]

    def _number(self, texts: Sequence[str], *, update_vocab: bool) -> list[list[int]]:
        # Without the progress bar of ``tokenize``, which takes as long as a query's words.
        read = self._tokenizer.streaming_tokenize(
            texts, update_vocab=update_vocab, allow_empty=False
        )
        return [*read]


def _okapi_scorer(texts: Sequence[str]) -> Scorer:
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


# By the name of a recipe, what makes an indexer: it returns what scores texts.
RECIPES: Mapping[str, Callable[[], Callable[[Sequence[str]], Scorer]]] = {
    "mabench": _LuceneIndexer,
    "published": lambda: _okapi_scorer,
}
