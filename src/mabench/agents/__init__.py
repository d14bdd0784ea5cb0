"""The agents and memories that are built in."""

from mabench.agents.readers import RetrievalAgent

__all__ = ["RetrievalAgent"]
