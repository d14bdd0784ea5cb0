"""The agents and memories that are built in."""

from mabench.agents.retrieval import RetrievalAgent

__all__ = ["RetrievalAgent"]
