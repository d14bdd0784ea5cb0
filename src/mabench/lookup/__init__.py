"""From what names an agent to what makes it."""

from mabench.lookup.factories import NotMadeError
from mabench.lookup.names import AgentInfo, available, capabilities_of
from mabench.lookup.resolution import AgentFactory, make_agent, refuse_ignored_model, resolve

__all__ = [
    "AgentFactory",
    "AgentInfo",
    "NotMadeError",
    "available",
    "capabilities_of",
    "make_agent",
    "refuse_ignored_model",
    "resolve",
]
