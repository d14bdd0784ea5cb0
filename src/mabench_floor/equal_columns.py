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
    # The sum of a column, with a random weight for each row, tells columns apart: equal columns
    # have the same sum, and different ones practically never do. Complex weights hold two random
    # numbers each.
    chance = np.random.default_rng(0)
    row_weights = chance.random(rows) + 1j * chance.random(rows)
    sums = features.T @ row_weights
    _, new_columns, counts = np.unique(sums, return_inverse=True, return_counts=True)
    factors = 1 / np.sqrt(counts[new_columns])
    one_number_a_row = np.arange(columns + 1)
    return csr_matrix((factors, new_columns, one_number_a_row), (columns, len(counts)))
