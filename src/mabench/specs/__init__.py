"""What users can set of a run, a race, a stress and a judge: each setting is declared here."""

from mabench.specs.experiments import RaceSpec, StressSpec, SweepSpec
from mabench.specs.model import ModelSpec
from mabench.specs.run import AgentSpec, DataSpec, InjectionSpec, JudgeSpec, Limits, RunSpec

__all__ = [
    "AgentSpec",
    "DataSpec",
    "InjectionSpec",
    "JudgeSpec",
    "Limits",
    "ModelSpec",
    "RaceSpec",
    "RunSpec",
    "StressSpec",
    "SweepSpec",
]
