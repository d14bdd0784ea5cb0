"""Items whose titles share rare words, such as the parts of a series."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix, diags

from mabench.text.stems import content_words


@dataclass(frozen=True, slots=True)
class TitleLikeness:
    """How alike titles are: the cosine of their words, the rarer weighing the more.

    Attributes:
        rows: the row of each title, by its words.
        words: the weighted words of each title, as a row of length 1.
    """

    rows: Mapping[str, int]
    words: csr_matrix

    def nearest(self, named: Iterable[str]) -> NDArray[Any]:
        """Return for each title how like it is to the likest of ``named``, from 0 to 1."""
        rows = sorted({self.rows[title] for title in named if title in self.rows})
        if not rows:
            return np.zeros(len(self.rows))
        nearest: NDArray[Any] = (self.words @ self.words[rows].toarray().T).max(axis=1)
        return nearest


def learn_likeness(titles: Sequence[str]) -> TitleLikeness:
    """Learn which content words of ``titles`` are rare."""
    own = [sorted(content_words(title)) for title in titles]
    spread = Counter(word for words in own for word in words)
    columns = {word: column for column, word in enumerate(sorted(spread))}
    places = [(row, word) for row, words in enumerate(own) for word in words]
    weights = [math.log(len(titles) / spread[word]) for _, word in places]
    where = ([row for row, _ in places], [columns[word] for _, word in places])
    matrix = csr_matrix((weights, where), (len(titles), len(columns)))
    lengths = np.sqrt(np.asarray(matrix.multiply(matrix).sum(axis=1)).ravel())
    words = (diags(1 / np.maximum(lengths, 1e-9)) @ matrix).tocsr()
    return TitleLikeness({title: row for row, title in enumerate(titles)}, words)
