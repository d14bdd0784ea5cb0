"""Rows of every family made from a seed, in the official schema, with invented names.

``small(seed)`` makes the data set that is named ``synthetic:small``.
"""

from mabench.synthesis.small import SyntheticRows, small

__all__ = ["SyntheticRows", "small"]
