"""Superseded facts: numbered statements, read into a book, and questions answered from it."""

from mabench_floor.facts.book import Fact, FactBook, Hop, read_book
from mabench_floor.facts.chains import Chain, Chains
from mabench_floor.facts.statements import statements_in

__all__ = ["Chain", "Chains", "Fact", "FactBook", "Hop", "read_book", "statements_in"]
