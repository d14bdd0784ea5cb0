"""mabench tests the memory of an AI agent on long histories, with honest error bars.

``load`` opens a data set, ``run`` examines an agent, ``score_answer`` scores one prediction. An
agent is any class with ``memorize(chunk)`` and ``answer(query)``.
"""

from typing import TYPE_CHECKING

from mabench.facades import load_when_used

if TYPE_CHECKING:
    from mabench._version import __version__ as __version__
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
else:
    __getattr__, __dir__, __all__ = load_when_used(__name__, __file__)
