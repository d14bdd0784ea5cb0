"""The agents that are built in, and what makes an agent of a memory."""

from mabench.agents.readers import RetrievalAgent as RetrievalAgent
