"""Finding facts: search over sentences, a second hop, and spans of the kind that is asked for."""

from mabench.agents.floor.qa.skill import Finding, learn

__all__ = ["Finding", "learn"]
