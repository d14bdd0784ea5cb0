"""Scores of questions, grouped by the history that they are about."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Grouped:
    """Scores, or differences of scores, of n questions about G histories.

    Attributes:
        values: the scores, in shape (n,); from 0 to 1, differences from -1 to 1.
        histories: the number of each question's history, from 0 to G - 1, in shape (n,).
    """

    values: Floats
    histories: NDArray[np.intp]

    @classmethod
    def of(cls, values: Sequence[float] | Floats, histories: Iterable[Hashable]) -> Grouped:
        """Group scores by whatever names their histories."""
        numbers: dict[Hashable, int] = {}
        codes = [numbers.setdefault(history, len(numbers)) for history in histories]
        return cls(np.asarray(values, dtype=np.float64), np.asarray(codes, dtype=np.intp))

    @cached_property
    def sizes(self) -> Floats:
        """The number of questions of each history, in shape (G,)."""
        return np.bincount(self.histories).astype(np.float64)

    @cached_property
    def totals(self) -> Floats:
        """The sum of the scores of each history, in shape (G,)."""
        return np.asarray(np.bincount(self.histories, weights=self.values), dtype=np.float64)

    @property
    def n(self) -> int:
        """How many questions there are."""
        return len(self.values)

    @property
    def groups(self) -> int:
        """How many histories there are."""
        return len(self.sizes)

    @cached_property
    def mean(self) -> float:
        """The mean score of the questions."""
        return float(self.values.mean())

    @cached_property
    def binary(self) -> bool:
        """Whether every score is 0 or 1."""
        return bool(np.isin(self.values, (0.0, 1.0)).all())

    @cached_property
    def within(self) -> tuple[float, int]:
        """The variance of the mean for these histories, and its degrees of freedom.

        V = sum of (n_h / n)^2 s_h^2 / n_h, with n - G degrees of freedom. A history with one
        question shows no variance of its own and takes that of the others. With no degree of
        freedom the variance is 0.
        """
        freedom = self.n - self.groups
        if freedom == 0:
            return 0.0, 0
        residuals = self.values - (self.totals / self.sizes)[self.histories]
        squares = np.bincount(self.histories, weights=residuals**2)
        several = self.sizes > 1
        variances = np.full(self.groups, squares.sum() / freedom)
        variances[several] = squares[several] / (self.sizes[several] - 1)
        return float((self.sizes * variances).sum()) / self.n**2, freedom

    @cached_property
    def between(self) -> float:
        """The variance of the mean over new histories, from at least two.

        V = G / (G - 1) sum of e_h^2 / n^2, where e_h is the sum of the deviations of history h
        from the mean: the linearized variance of a ratio, as in surveys of whole clusters.
        """
        deviations = self.totals - self.mean * self.sizes
        scale = self.groups / (self.groups - 1)
        return float(scale * (deviations**2).sum()) / self.n**2
