"""``bm25``, the memory that searches by words.

``TextMemory`` (``texts.py``) stores the texts and has the methods that mabench calls; here is how a
text is found. A scorer is a function that returns the scores of all stored texts for a query.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from mabench.errors import UsageError
from mabench_memories.retrieval.texts import Features, StoredText, TextMemory
from mabench_memories.retrieval.word_scores import RECIPES

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from mabench_memories.retrieval.texts import Scorer


class BM25Memory(TextMemory):
    """Finds texts by BM25; as an agent, answers from them without a language model.

    The scores are those of Robertson and Zaragoza (2009) in Lucene's variant, by bm25s. English
    stop words are dropped and words are stemmed. Texts of equal score come in the order in which
    they were added; texts that share no word with the query come last, with score 0. The ``recipe``
    ``published`` is the retriever behind the published figures: there, texts of equal score come in
    the reverse order. Words are weighted over all texts, also those that a search must not return.
    """

    mabench_capabilities: ClassVar[Mapping[str, object]] = {
        "deterministic": True,
        "packages": lambda settings: (
            ("scikit-learn",) if settings.get("recipe") == "published" else ("bm25s",)
        ),
    }

    def __init__(self, recipe: str = "mabench") -> None:
        """Make an empty memory; raises ``UsageError`` for an unknown recipe."""
        super().__init__()
        if recipe not in RECIPES:
            message = f"recipe={recipe}: there are {', '.join(RECIPES)}"
            raise UsageError(message, parameter="settings")
        self._recipe = recipe
        make_indexer = RECIPES[recipe]
        # Search once with an indexer of no use, so that imports do not slow the first real search.
        index = make_indexer()
        score = index(["text"])
        score("text")
        self._index_words = make_indexer()

    def _features_of(self, text: str) -> Features:
        """Return the size of a text: it is found by its words alone. The index is not counted."""
        return Features(bytes=len(text.encode("utf-8", "surrogatepass")))

    def _make_scorer(self, texts: Sequence[StoredText]) -> Scorer:
        """Return a scorer of these texts, by an index of their words."""
        return self._index_words([stored.text for stored in texts])

    def _rank(self, scores: NDArray[Any]) -> NDArray[Any]:
        """Return the places of the texts, the best first; for equal scores as the recipe does."""
        if self._recipe == "published":
            return scores.argsort(kind="stable")[::-1]
        return super()._rank(scores)
