"""A reader that needs no language model: one module for each form of query."""

from mabench.agents.extractive.reader import ExtractiveReader

__all__ = ["ExtractiveReader"]
