"""Who is examined: the protocols, the agents built in, and how one is found by name."""

from mabench.agents.answers import AgentError, answer_of
from mabench.agents.conformance import conformance_problems
from mabench.agents.interfaces import Agent, Answer, Memory, Passage, Query, Reader
from mabench.agents.names import AgentInfo, available
from mabench.agents.registry import AgentSpec, make_agent, resolve
from mabench.agents.retrieval import RetrievalAgent

__all__ = [
    "Agent",
    "AgentError",
    "AgentInfo",
    "AgentSpec",
    "Answer",
    "Memory",
    "Passage",
    "Query",
    "Reader",
    "RetrievalAgent",
    "answer_of",
    "available",
    "conformance_problems",
    "make_agent",
    "resolve",
]
