"""Runs: the engine that examines an agent, and the folder that keeps what came of it."""

from mabench.runs.engine.context import Limits
from mabench.runs.estimate import estimate_run
from mabench.runs.judging.agreement import Agreement, compare_judges
from mabench.runs.judging.cases import JudgeSpec
from mabench.runs.judging.judging import Judging, JudgingStoppedError, estimate_judging, judge
from mabench.runs.records.judgments import JudgeName, Judgment
from mabench.runs.records.sample import Sample
from mabench.runs.repeat import repeated
from mabench.runs.rescoring.rescore import rescore
from mabench.runs.rescoring.score_file import score_file
from mabench.runs.run import (
    DEFAULT_AGENT,
    DEFAULT_DATA,
    DEFAULT_PROTOCOL,
    Run,
    RunStoppedError,
    run,
)
from mabench.runs.sweep import SweepPoint, sweep

__all__ = [
    "DEFAULT_AGENT",
    "DEFAULT_DATA",
    "DEFAULT_PROTOCOL",
    "Agreement",
    "JudgeName",
    "JudgeSpec",
    "Judging",
    "JudgingStoppedError",
    "Judgment",
    "Limits",
    "Run",
    "RunStoppedError",
    "Sample",
    "SweepPoint",
    "compare_judges",
    "estimate_judging",
    "estimate_run",
    "judge",
    "repeated",
    "rescore",
    "run",
    "score_file",
    "sweep",
]
