"""What users can set of a run, a sweep and a judge: each setting is declared here and only here."""

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

__all__ = [
    "AgentSpec",
    "DataSpec",
    "InjectionSpec",
    "JudgeSpec",
    "Limits",
    "ModelSpec",
    "RaceSpec",
    "RunSpec",
    "SweepSpec",
]
