"""What users can set of a run, a race, a stress and a judge: each setting is declared here."""

from mabench.specs.model import ModelSpec
from mabench.specs.race import RaceSpec
from mabench.specs.run import (
    AgentSpec,
    DataSpec,
    InjectionSpec,
    JudgeSpec,
    Limits,
    RunSpec,
    SweepSpec,
)
from mabench.specs.stress import StressSpec

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
