"""From what names an agent to what makes it."""

from mabench.lookup.names import AgentInfo, available
from mabench.lookup.resolution import AgentSpec, make_agent, resolve

__all__ = ["AgentInfo", "AgentSpec", "available", "make_agent", "resolve"]
