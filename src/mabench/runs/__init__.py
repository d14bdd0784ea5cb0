"""Runs: the engine that examines an agent, and the folder that keeps what came of it."""

from mabench.runs.engine.context import Limits, RunObserver
from mabench.runs.estimate import Estimate, estimate_run
from mabench.runs.judging.agreement import Agreement, compare_judges
from mabench.runs.judging.judging import JudgeWatch, judge
from mabench.runs.records.judgments import JudgeName, Judgment
from mabench.runs.records.measurements import MemoryRecord, Timing
from mabench.runs.records.record import DataRecord, ModelRecord, RunRecord
from mabench.runs.records.sample import RetrievedPassage, Sample
from mabench.runs.repeat import repeated
from mabench.runs.rescoring.rescore import rescore
from mabench.runs.rescoring.score_file import score_file
from mabench.runs.results.summaries import (
    JudgeSummary,
    Matches,
    MeanScore,
    MemorySummary,
    PredictionsSummary,
    RetrievalSummary,
    RowUsage,
    RunSummary,
    ScoreSummary,
    SourceScores,
    SourceSummary,
    Usage,
)
from mabench.runs.results.summary import score_samples, summarize
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
    "DataRecord",
    "Estimate",
    "JudgeName",
    "JudgeSummary",
    "JudgeWatch",
    "Judgment",
    "Limits",
    "Matches",
    "MeanScore",
    "MemoryRecord",
    "MemorySummary",
    "ModelRecord",
    "PredictionsSummary",
    "RetrievalSummary",
    "RetrievedPassage",
    "RowUsage",
    "Run",
    "RunObserver",
    "RunRecord",
    "RunStoppedError",
    "RunSummary",
    "Sample",
    "ScoreSummary",
    "SourceScores",
    "SourceSummary",
    "SweepPoint",
    "Timing",
    "Usage",
    "compare_judges",
    "estimate_run",
    "judge",
    "repeated",
    "rescore",
    "run",
    "score_file",
    "score_samples",
    "summarize",
    "sweep",
]
