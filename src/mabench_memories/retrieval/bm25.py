"""``bm25``, the memory that searches by words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from mabench.errors import UsageError
from mabench_memories.retrieval.texts import HeldText, TextMemory
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
        super().__init__()
        if recipe not in RECIPES:
            there = f"recipe={recipe}: there are {', '.join(RECIPES)}"
            raise UsageError(there, parameter="settings")
        self._recipe = recipe
        # Search once, so that imports do not slow the first real search.
        RECIPES[recipe]()(["text"])("text")
        self._score_texts = RECIPES[recipe]()

    def _make(self, text: str) -> tuple[int, None]:
        # The size of the index is not counted.
        return len(text.encode("utf-8", "surrogatepass")), None

    def _scorer(self, texts: Sequence[HeldText]) -> Scorer:
        return self._score_texts([one.text for one in texts])

    def _rank(self, scores: NDArray[Any]) -> NDArray[Any]:
        if self._recipe == "published":
            return scores.argsort(kind="stable")[::-1]
        return super()._rank(scores)
