"""From what names an agent to what makes it."""

from mabench.lookup.names import AgentInfo, Capabilities, available
from mabench.lookup.resolution import AgentFactory, refuse_ignored_model, resolve

__all__ = [
    "AgentFactory",
    "AgentInfo",
    "Capabilities",
    "available",
    "refuse_ignored_model",
    "resolve",
]
