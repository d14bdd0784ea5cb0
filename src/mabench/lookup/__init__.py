"""From what names an agent to what makes it."""

from mabench.lookup.factories import NotMadeError
from mabench.lookup.names import AgentInfo, Capabilities, available
from mabench.lookup.resolution import AgentFactory, refuse_ignored_model, resolve

__all__ = [
    "AgentFactory",
    "AgentInfo",
    "Capabilities",
    "NotMadeError",
    "available",
    "refuse_ignored_model",
    "resolve",
]
