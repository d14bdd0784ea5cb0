"""Fewer features that are worth the same: those that stand in the same texts become one."""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_matrix


def joining(features: csr_matrix) -> csr_matrix:
    """Return the matrix that makes one column of all columns of ``features`` that are equal.

    ``features @ joining(features)`` has the same products of one row and another as
    ``features``, and so has ``others @ joining(features)`` with these rows: what is learnt from
    such products alone, as ridge regression and support vectors are, stays the same. A column
    that stands for ``n`` is worth each of them times the square root of ``n``. Of the letters
    of words, a third or half of the numbers go.

    Args:
        features: rows by columns.

    Returns:
        Old columns by new ones, one number in each row.
    """
    rows, columns = features.shape
    # Equal columns have equal sums of chance weights, and others have others.
    chance = np.random.default_rng(0)
    sums = features.T @ (chance.random(rows) + 1j * chance.random(rows))
    _, joined, counts = np.unique(sums, return_inverse=True, return_counts=True)
    worth = 1 / np.sqrt(counts[joined])
    return csr_matrix((worth, joined, np.arange(columns + 1)), (columns, len(counts)))
