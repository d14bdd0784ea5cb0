"""What an agent, a memory and a reader look like, and how what they return is read."""

from mabench.contract.answers import AgentError, Stats, answer_of, passages_of
from mabench.contract.interfaces import Agent, Answer, Memory, Passage, Query, Reader

__all__ = [
    "Agent",
    "AgentError",
    "Answer",
    "Memory",
    "Passage",
    "Query",
    "Reader",
    "Stats",
    "answer_of",
    "passages_of",
]
