"""A memory that finds texts by the words that they share with the query."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from mabench.agents.memories.texts import HeldText, TextMemory
from mabench.errors import UsageError
from mabench.installation import import_lock
from mabench.text.stems import stem

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from mabench.agents.memories.texts import Scorer

_K1, _B, _FLOOR = 1.5, 0.75, 0.25  # Of Okapi's weights.


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
    """Do so as the retriever behind the published figures does (arXiv 2507.05257).

    Words are what stands between white space, case and punctuation kept. The weights are Okapi's
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


_OURS = "mabench"
_RECIPES: Mapping[str, Callable[[list[str]], Scorer]] = {
    _OURS: _lucene_scorer,
    "published": _okapi_scorer,
}


class BM25Memory(TextMemory):
    """Finds texts by BM25; as an agent, answers from them without a language model.

    The scores are those of Robertson and Zaragoza (2009) in Lucene's variant, by bm25s. English
    stop words are dropped and words stemmed. Texts of equal score come in the order in which they
    were added; those that share no word with the query come last, with score 0. The ``recipe``
    ``published`` is the retriever of the published figures instead, in which texts of equal score
    come in the reverse of that order. Texts that a search may not see count for weights of words.
    """

    def __init__(self, recipe: str = _OURS) -> None:
        super().__init__()
        if recipe not in _RECIPES:
            there = f"recipe={recipe}: there are {', '.join(_RECIPES)}"
            raise UsageError(there, parameter="settings")
        self._recipe = recipe

    def _make(self, text: str) -> tuple[int, None]:
        return len(text.encode("utf-8", "surrogatepass")), None  # The index is not counted.

    def _scorer(self, texts: Sequence[HeldText]) -> Scorer:
        return _RECIPES[self._recipe]([one.text for one in texts])

    def _rank(self, scores: NDArray[Any]) -> NDArray[Any]:
        published = self._recipe != _OURS
        return scores.argsort(kind="stable")[::-1] if published else super()._rank(scores)
