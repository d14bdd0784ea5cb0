"""Which items go with how people word things: ridge regression from words and pairs of words."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix, diags
from scipy.sparse.linalg import LinearOperator, cg

from mabench_floor.equal_columns import joining

_RIDGE = 3.0
_FEWEST = 2  # Dialogues that a word or pair must be in to count.
_EXACT = 1e-2  # How nearly the equations are solved; nearer changes no ranking that matters.
_ROUNDS = 30
_TOKEN = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class WordingModel:
    """Predicts items from the wording of a dialogue.

    Attributes:
        columns: the column of each word and each pair of adjacent words.
        rarity: log inverse share of the dialogues that hold each of them.
        joining: makes one column of those that stand in the same dialogues.
        wording: the weighted words of each dialogue, so joined, as a row of length 1.
        turned: the same with a column for each dialogue.
        items: which items (columns) each dialogue (rows) mentions.
    """

    columns: Mapping[str, int]
    rarity: NDArray[Any]
    joining: csr_matrix
    wording: csr_matrix
    turned: csr_matrix
    items: csr_matrix

    def scores(self, texts: Iterable[str]) -> NDArray[Any]:
        """Return a score for each item, the higher the likelier, for what ``texts`` say.

        Kernel ridge regression (Saunders et al., 1998) on the cosine of tf-idf vectors, solved
        for this one dialogue by conjugate gradients.
        """
        asked = _rows([_counted(texts)], self.columns, self.rarity) @ self.joining
        likeness = self.wording @ asked.toarray().ravel()
        size = self.wording.shape[0]
        kernel = LinearOperator(
            (size, size),
            matvec=lambda v: self.wording @ (self.turned @ v) + _RIDGE * v,
            dtype=float,
        )
        weights, _ = cg(kernel, likeness, rtol=_EXACT, maxiter=_ROUNDS)
        scores: NDArray[Any] = self.items.T @ weights
        return scores


def learn_wording(dialogues: Sequence[Iterable[str]], items: csr_matrix) -> WordingModel:
    """Learn from the texts of ``dialogues`` and the ``items`` of each, dialogues by items."""
    counted = [_counted(texts) for texts in dialogues]
    spread = Counter(word for counts in counted for word in counts)
    known = sorted(word for word, count in spread.items() if count >= _FEWEST)
    columns = {word: column for column, word in enumerate(known)}
    size = len(counted)
    rarity = np.array([1 + math.log((1 + size) / (1 + spread[word])) for word in known])
    wording = _rows(counted, columns, rarity)
    joined = joining(wording)
    wording = wording @ joined
    return WordingModel(columns, rarity, joined, wording, wording.T.tocsr(), items)


def _counted(texts: Iterable[str]) -> Counter[str]:
    words = [word for text in texts for word in _TOKEN.findall(text.casefold())]
    pairs = (f"{one} {other}" for one, other in pairwise(words))
    return Counter(chain(words, pairs))


def _rows(
    counted: Sequence[Mapping[str, int]], columns: Mapping[str, int], rarity: NDArray[Any]
) -> csr_matrix:
    """Return tf-idf vectors of length 1, one a row."""
    known = [[(columns[w], n) for w, n in own.items() if w in columns] for own in counted]
    ends = np.cumsum([0, *map(len, known)])
    pairs = np.fromiter(chain.from_iterable(chain.from_iterable(known)), dtype=int)
    found, counts = pairs[::2], pairs[1::2]
    weights = (1 + np.log(counts.astype(float))) * rarity[found]
    matrix = csr_matrix((weights, found, ends), (len(counted), len(columns)))
    matrix.sort_indices()
    lengths = np.sqrt(np.asarray(matrix.multiply(matrix).sum(axis=1)).ravel())
    return (diags(1 / np.maximum(lengths, 1e-9)) @ matrix).tocsr()
