"""mabench tests the memory of an AI agent on long histories, with honest error bars.

``load`` opens a data set, ``run`` examines an agent, ``score_answer`` scores one prediction. An
agent is any class with ``memorize(chunk)`` and ``answer(query)``.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

from mabench._version import __version__

if TYPE_CHECKING:
    from mabench.agents import RetrievalAgent as RetrievalAgent
    from mabench.audit import golds as golds
    from mabench.comparison import compare as compare
    from mabench.comparison import plan as plan
    from mabench.contract import Agent as Agent
    from mabench.contract import Answer as Answer
    from mabench.contract import Memory as Memory
    from mabench.contract import Passage as Passage
    from mabench.contract import Query as Query
    from mabench.contract import Reader as Reader
    from mabench.errors import MabenchError as MabenchError
    from mabench.families import score_answer as score_answer
    from mabench.gating import gate as gate
    from mabench.loading import load as load
    from mabench.races import race as race
    from mabench.runs import run as run
    from mabench.specs import AgentSpec as AgentSpec
    from mabench.specs import DataSpec as DataSpec
    from mabench.specs import InjectionSpec as InjectionSpec
    from mabench.specs import Limits as Limits
    from mabench.specs import ModelSpec as ModelSpec
    from mabench.specs import RaceSpec as RaceSpec
    from mabench.specs import StressSpec as StressSpec
    from mabench.stressing import stress as stress

# Imported when first used, so that `import mabench` stays light.
_HOMES = {
    "mabench.agents": "RetrievalAgent",
    "mabench.audit": "golds",
    "mabench.comparison": "compare plan",
    "mabench.contract": "Agent Answer Memory Passage Query Reader",
    "mabench.errors": "MabenchError",
    "mabench.families": "score_answer",
    "mabench.gating": "gate",
    "mabench.loading": "load",
    "mabench.races": "race",
    "mabench.runs": "run",
    "mabench.specs": "AgentSpec DataSpec InjectionSpec Limits ModelSpec RaceSpec StressSpec",
    "mabench.stressing": "stress",
}
_HOME = {name: module for module, names in _HOMES.items() for name in names.split()}
__all__ = [*sorted(_HOME), "__version__"]


def __getattr__(name: str) -> object:
    if name not in _HOME:
        raise AttributeError(f"module 'mabench' has no attribute {name!r}")
    return getattr(importlib.import_module(_HOME[name]), name)


def __dir__() -> list[str]:
    return __all__
