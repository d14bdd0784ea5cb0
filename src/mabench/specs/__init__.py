"""What users can set of a run, a race, a stress and a judge: each setting is declared here.

Each has a module of its own, and so has each part of a run; `shared` has what several declare.
"""

from typing import TYPE_CHECKING

from mabench.facades import load_when_used

if TYPE_CHECKING:
    from mabench.specs.agent import AgentSpec as AgentSpec
    from mabench.specs.data import DataSpec as DataSpec
    from mabench.specs.draft import DraftSpec as DraftSpec
    from mabench.specs.injection import DEFAULT_PROTOCOL as DEFAULT_PROTOCOL
    from mabench.specs.injection import InjectionSpec as InjectionSpec
    from mabench.specs.judge import JudgeSpec as JudgeSpec
    from mabench.specs.limits import Limits as Limits
    from mabench.specs.model import ModelSpec as ModelSpec
    from mabench.specs.race import RaceSpec as RaceSpec
    from mabench.specs.run import RunSpec as RunSpec
    from mabench.specs.stress import StressSpec as StressSpec
    from mabench.specs.sweep import SweepSpec as SweepSpec
else:
    __getattr__, __dir__, __all__ = load_when_used(__name__, __file__)
