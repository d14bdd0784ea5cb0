"""Memories that search by words (``bm25``), by meaning (``dense``), or by both (``hybrid``)."""

from mabench_memories.retrieval.bm25 import BM25Memory as BM25Memory
from mabench_memories.retrieval.dense import DenseMemory as DenseMemory
from mabench_memories.retrieval.hybrid import HybridMemory as HybridMemory
