"""A memory that finds texts by the words that they share with the query."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import datetime
from itertools import islice
from typing import TYPE_CHECKING, Any

from mabench.contract.interfaces import Passage
from mabench.errors import UsageError
from mabench.installation import import_lock
from mabench.text.stems import stem

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Scorer = Callable[[str], NDArray[Any]]

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


Said = tuple[datetime | None, str | None]  # When and by whom; None where nobody said it.


def seen(
    ranked: Iterable[int], said: list[Said], time: datetime | None, user: str | None
) -> Iterator[int]:
    """Yield the places of texts that a search at a time and by a user may see, in their order."""
    for i in ranked:
        then, who = said[i]
        if user in (None, who) and (time is None or then is None or then <= time):
            yield i


class BM25Memory:
    """Finds texts by BM25; as an agent, answers from them without a language model.

    The scores are those of Robertson and Zaragoza (2009) in Lucene's variant, by bm25s. English
    stop words are dropped and words stemmed. Texts of equal score come in the order in which they
    were added; those that share no word with the query come last, with score 0. The ``recipe``
    ``published`` is the retriever of the published figures instead, in which texts of equal score
    come in the reverse of that order.
    """

    def __init__(self, recipe: str = _OURS) -> None:
        if recipe not in _RECIPES:
            there = f"recipe={recipe}: there are {', '.join(_RECIPES)}"
            raise UsageError(there, parameter="settings")
        self._recipe = recipe
        self._texts: list[str] = []
        self._said: list[Said] = []
        self._bytes = 0
        self._scorer: Scorer | None = None
        self._lock = threading.Lock()

    def add(self, text: str, *, time: datetime | None = None, user: str | None = None) -> None:
        """Store a text; the index is built again at the next search."""
        with self._lock:
            self._said.append((time, user))
            self._texts.append(text)
            self._bytes += len(text.encode("utf-8", "surrogatepass"))
            self._scorer = None

    def stats(self) -> dict[str, int]:
        """Return how many texts are stored, and their bytes in UTF-8; the index is not counted."""
        return {"memories": len(self._texts), "bytes": self._bytes}

    def search(
        self, query: str, k: int, *, time: datetime | None = None, user: str | None = None
    ) -> list[Passage]:
        """Return the ``k`` best texts, or all of them when there are fewer, the best first.

        Only those that were said by then, by this user; the rest counts for the weights of words.
        """
        import numpy as np

        if not self._texts:
            return []
        with self._lock:
            if self._scorer is None:
                self._scorer = _RECIPES[self._recipe](self._texts)
            scorer = self._scorer
        scores = scorer(query)
        if self._recipe == _OURS:
            ranked = np.argsort(-scores, kind="stable")
        else:
            ranked = np.argsort(scores, kind="stable")[::-1]
        best = islice(seen(ranked, self._said, time, user), max(k, 0))
        return [Passage(self._texts[i], float(scores[i]), self._said[i][0]) for i in best]
