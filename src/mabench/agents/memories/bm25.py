"""A memory that finds texts by the words that they share with the query."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from mabench.agents.memories.okapi import okapi_scorer
from mabench.contract.interfaces import Passage
from mabench.errors import UsageError
from mabench.imports import import_lock
from mabench.text.stems import stem

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Scorer = Callable[[str], NDArray[Any]]


def _scorer(texts: list[str]) -> Scorer:
    """Index ``texts`` and return the function from a query to their scores, in order."""
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
        [known] = tokenizer.tokenize([query], update_vocab=False, **quietly)
        return index.get_scores(known) if known else np.zeros(len(texts))

    return scores


_OURS = "mabench"
_RECIPES: Mapping[str, Callable[[list[str]], Scorer]] = {
    _OURS: _scorer,
    "published": okapi_scorer,
}


class BM25Memory:
    """Finds texts by BM25; as an agent, answers from them without a language model.

    The scores are those of Robertson and Zaragoza (2009) in Lucene's variant, by bm25s. English
    stop words are dropped and words stemmed. Texts of equal score come in the order in which
    they were added; those that share no word with the query come last, with score 0.

    Args:
        recipe: ``published`` for the retriever of the published figures instead (see ``okapi``),
            in which texts of equal score come in the reverse of that order.

    Raises:
        UsageError: when there is no such recipe.
    """

    def __init__(self, recipe: str = _OURS) -> None:
        if recipe not in _RECIPES:
            known = ", ".join(_RECIPES)
            raise UsageError(f"recipe={recipe}: there are {known}", parameter="settings")
        self._recipe = recipe
        self._texts: list[str] = []
        self._bytes = 0
        self._scorer: Scorer | None = None
        self._lock = threading.Lock()

    def add(self, text: str) -> None:
        """Store a text; the index is built again at the next search."""
        self._texts.append(text)
        self._bytes += len(text.encode("utf-8", "surrogatepass"))
        self._scorer = None

    def stats(self) -> dict[str, int]:
        """Return how many texts are stored, and their bytes in UTF-8; the index is not counted."""
        return {"memories": len(self._texts), "bytes": self._bytes}

    def search(self, query: str, k: int) -> list[Passage]:
        """Return the ``k`` best texts, or all of them when there are fewer, the best first."""
        import numpy as np

        if not self._texts:
            return []
        with self._lock:
            if self._scorer is None:
                self._scorer = _RECIPES[self._recipe](self._texts)
        scores = self._scorer(query)
        if self._recipe == _OURS:
            ranked = np.argsort(-scores, kind="stable")
        else:
            ranked = np.argsort(scores, kind="stable")[::-1]
        return [Passage(self._texts[i], float(scores[i])) for i in ranked[: max(k, 0)]]
