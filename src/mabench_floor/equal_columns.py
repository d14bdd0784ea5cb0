"""Joins features that occur in the same texts into one, which makes learning faster."""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_matrix


def joining(features: csr_matrix) -> csr_matrix:
    """Return the matrix that joins all equal columns of ``features`` into one column each.

    ``features @ joining(features)`` has the same products of rows as ``features``, and so has
    ``others @ joining(features)`` with these rows. So whatever is learned from such products alone,
    as by ridge regression and support vector machines, stays the same. A column that replaces ``n``
    equal ones is each of them times the square root of ``n``. Among the features of letters, a
    third to a half of the numbers disappear.

    Args:
        features: a matrix of rows by columns.

    Returns:
        A matrix of old columns by new ones, with one number in each row.
    """
    rows, columns = features.shape
    # Equal columns have equal sums of chance weights, and others have others.
    chance = np.random.default_rng(0)
    sums = features.T @ (chance.random(rows) + 1j * chance.random(rows))
    _, joined, counts = np.unique(sums, return_inverse=True, return_counts=True)
    worth = 1 / np.sqrt(counts[joined])
    return csr_matrix((worth, joined, np.arange(columns + 1)), (columns, len(counts)))
