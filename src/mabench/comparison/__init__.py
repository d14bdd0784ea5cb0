"""Comparing runs: which agent is better, by how much, and what cannot be told.

``compare`` takes runs on the same questions and returns paired differences with two intervals
each; ``is_worse`` and the stricter ``is_as_good`` are gates for CI.
"""

from mabench.comparison.comparing import compare, flipped
from mabench.comparison.gate import GateName, GateResult, apply_gate, is_as_good, is_worse
from mabench.comparison.planning import Design, Plan, PlanSource, plan
from mabench.comparison.results import (
    ComparedRun,
    Comparison,
    DifferenceInterval,
    Flip,
    MeanDifference,
    Pair,
    RunScore,
    SourceDifference,
)

__all__ = [
    "ComparedRun",
    "Comparison",
    "Design",
    "DifferenceInterval",
    "Flip",
    "GateName",
    "GateResult",
    "MeanDifference",
    "Pair",
    "Plan",
    "PlanSource",
    "RunScore",
    "SourceDifference",
    "apply_gate",
    "compare",
    "flipped",
    "is_as_good",
    "is_worse",
    "plan",
]
