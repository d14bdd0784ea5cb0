"""Stores of texts with ``add`` and ``search``."""

from mabench.memories.bm25 import BM25Memory

__all__ = ["BM25Memory"]
