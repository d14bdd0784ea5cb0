"""Scores texts for a query by their words: two recipes of BM25.

Each recipe is an indexer: a function that reads texts, and returns a scorer, a function that
returns the scores of these texts for a query.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from mabench.installation import import_lock
from mabench.text.stems import stem

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from mabench_memories.retrieval.texts import Scorer

# The constants of Okapi BM25, and the share of the mean weight that very common words get.
_K1, _B, _COMMON_SHARE = 1.5, 0.75, 0.25


class _LuceneIndexer:
    """Scores as Lucene does, by bm25s: stop words are dropped and words are stemmed.

    Words have numbers. Each text is read once, however often an index is made anew.
    """

    def __init__(self) -> None:
        """Make an indexer that has read no text."""
        with import_lock:
            from bm25s.tokenization import Tokenizer

        self._tokenizer = Tokenizer(stopwords="english", stemmer=stem)
        # The numbers of the words of each text of the last index, by the text.
        self._words_of: dict[str, list[int]] = {}

    def __call__(self, texts: Sequence[str]) -> Scorer:
        """Return a scorer of these texts; only one thread may call this at a time."""
        import bm25s
        import numpy as np

        words_of_texts = self._read(texts)
        # A copy: texts that are read later add words to the tokenizer's, with higher numbers.
        vocabulary = dict(self._tokenizer.get_vocab_dict())
        have_words = any(words_of_texts)
        index = bm25s.BM25()
        if have_words:
            index.index((words_of_texts, vocabulary), create_empty_token=False, show_progress=False)

        def score(query: str) -> NDArray[Any]:
            """Return the score of each text for a query; 0 if it shares no word with it."""
            [query_words] = self._number_words([query], add_words=False)
            known_words = [number for number in query_words if number < len(vocabulary)]
            scores: NDArray[Any] = np.zeros(len(texts))
            if have_words and known_words:
                scores = index.get_scores(known_words)
            return scores

        return score

    def _read(self, texts: Sequence[str]) -> list[list[int]]:
        """Return the numbers of the words of each text; only texts new since the last are read."""
        known = self._words_of
        new_texts = [text for text in dict.fromkeys(texts) if text not in known]
        if new_texts:
            new_words = self._number_words(new_texts, add_words=True)
            known = {**known, **dict(zip(new_texts, new_words, strict=True))}
        self._words_of = {text: known[text] for text in texts}  # Forgets texts that are gone.
        return [self._words_of[text] for text in texts]

    def _number_words(self, texts: Sequence[str], *, add_words: bool) -> list[list[int]]:
        """Return the numbers of the words of each text; new words get numbers if told so."""
        # Without the progress bar of ``tokenize``, which takes as long as a query's words.
        return list(
            self._tokenizer.streaming_tokenize(texts, update_vocab=add_words, allow_empty=False)
        )


def _okapi_scorer(texts: Sequence[str]) -> Scorer:
    """Return a scorer as in the retriever behind the published figures (arXiv 2507.05257).

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
    # A sparse matrix with a row for each text and a column for each word: how often it occurs.
    # ``data`` has the counts, ``indices`` the word of each, and ``indptr`` where each row begins.
    matrix = vectorizer.fit_transform(texts).astype(float)
    counts, word_of_count = matrix.data, matrix.indices
    text_of_count = np.repeat(np.arange(len(texts)), np.diff(matrix.indptr))
    texts_with_word = np.bincount(word_of_count, minlength=matrix.shape[1])
    log_odds = np.log(len(texts) - texts_with_word + 0.5) - np.log(texts_with_word + 0.5)
    rarity = np.where(log_odds < 0, _COMMON_SHARE * log_odds.mean(), log_odds)
    lengths = np.asarray(matrix.sum(axis=1)).ravel()
    damping = _K1 * (1 - _B + _B * lengths / lengths.mean())
    # From here on, the matrix has the weight of each word in each text.
    matrix.data = rarity[word_of_count] * counts * (_K1 + 1) / (counts + damping[text_of_count])

    def score(query: str) -> NDArray[Any]:
        """Return the score of each text for a query."""
        query_counts = vectorizer.transform([query])
        return np.asarray((matrix @ query_counts.T).todense()).ravel()

    return score


# Functions that make an indexer, by the name of the recipe.
RECIPES: Mapping[str, Callable[[], Callable[[Sequence[str]], Scorer]]] = {
    "mabench": _LuceneIndexer,
    "published": lambda: _okapi_scorer,
}
