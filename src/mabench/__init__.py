"""mabench runs MemoryAgentBench over any agent with a memory, and scores what comes of it.

``load`` opens a data set, ``run`` examines an agent, ``score_answer`` scores one prediction. An
agent is any class with ``memorize(chunk)`` and ``answer(query)``.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

from mabench._version import __version__

if TYPE_CHECKING:
    from mabench.agents import RetrievalAgent
    from mabench.candidates import golds
    from mabench.comparison import compare, plan
    from mabench.contract import Agent, Answer, Memory, Passage, Query, Reader
    from mabench.errors import MabenchError
    from mabench.families import score_answer
    from mabench.loading import load
    from mabench.races import race
    from mabench.runs import run
    from mabench.specs import (
        AgentSpec,
        DataSpec,
        InjectionSpec,
        Limits,
        ModelSpec,
        RaceSpec,
        StressSpec,
    )
    from mabench.stress_tests import stress

__all__ = [
    "Agent",
    "AgentSpec",
    "Answer",
    "DataSpec",
    "InjectionSpec",
    "Limits",
    "MabenchError",
    "Memory",
    "ModelSpec",
    "Passage",
    "Query",
    "RaceSpec",
    "Reader",
    "RetrievalAgent",
    "StressSpec",
    "__version__",
    "compare",
    "golds",
    "load",
    "plan",
    "race",
    "run",
    "score_answer",
    "stress",
]

# Imported when first used, so that `import mabench` stays light.
_HOMES = {
    "mabench.agents": ("RetrievalAgent",),
    "mabench.candidates": ("golds",),
    "mabench.comparison": ("compare", "plan"),
    "mabench.contract": ("Agent", "Answer", "Memory", "Passage", "Query", "Reader"),
    "mabench.errors": ("MabenchError",),
    "mabench.loading": ("load",),
    "mabench.races": ("race",),
    "mabench.runs": ("run",),
    "mabench.specs": (
        "AgentSpec",
        "DataSpec",
        "InjectionSpec",
        "Limits",
        "ModelSpec",
        "RaceSpec",
        "StressSpec",
    ),
    "mabench.families": ("score_answer",),
    "mabench.stress_tests": ("stress",),
}
_HOME = {name: module for module, names in _HOMES.items() for name in names}


def __getattr__(name: str) -> object:
    if name not in _HOME:
        raise AttributeError(f"module 'mabench' has no attribute {name!r}")
    return getattr(importlib.import_module(_HOME[name]), name)


def __dir__() -> list[str]:
    return sorted(__all__)
