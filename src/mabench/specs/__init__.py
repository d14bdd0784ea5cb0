"""What users can set of a run, a race, a stress and a judge: each setting is declared here."""

from mabench.specs.model import ModelSpec as ModelSpec
from mabench.specs.run import AgentSpec as AgentSpec
from mabench.specs.run import DataSpec as DataSpec
from mabench.specs.run import InjectionSpec as InjectionSpec
from mabench.specs.run import JudgeSpec as JudgeSpec
from mabench.specs.run import Limits as Limits
from mabench.specs.run import RaceSpec as RaceSpec
from mabench.specs.run import RunSpec as RunSpec
from mabench.specs.run import StressSpec as StressSpec
from mabench.specs.run import SweepSpec as SweepSpec
