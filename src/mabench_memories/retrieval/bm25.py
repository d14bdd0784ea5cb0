"""The search by words: BM25."""

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
    stop words are dropped and words stemmed. Texts of equal score come in the order in which they
    were added; those that share no word with the query come last, with score 0. The ``recipe``
    ``published`` is the retriever of the published figures instead, in which texts of equal score
    come in the reverse of that order. Texts that a search may not see count for weights of words.
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
        RECIPES[recipe](["text"])("text")  # What is imported is no part of the first search.

    def _make(self, text: str) -> tuple[int, None]:
        return len(text.encode("utf-8", "surrogatepass")), None  # The index is not counted.

    def _scorer(self, texts: Sequence[HeldText]) -> Scorer:
        return RECIPES[self._recipe]([one.text for one in texts])

    def _rank(self, scores: NDArray[Any]) -> NDArray[Any]:
        published = self._recipe == "published"
        return scores.argsort(kind="stable")[::-1] if published else super()._rank(scores)
