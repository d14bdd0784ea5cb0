"""Runs: an agent over a data set, the folder that keeps the results, and what they come to."""

from mabench.runs.estimate import depth_of, estimate_run
from mabench.runs.execution import RunInterrupt, RunStoppedError
from mabench.runs.judging.agreement import Agreement, compare_judges
from mabench.runs.judging.judging import JudgingStoppedError, estimate_judging, judge
from mabench.runs.listing import ListedRun, State, list_runs
from mabench.runs.records.encoding import IfKnown, Json, JsonRecord
from mabench.runs.records.judgments import JudgeName, Judgment
from mabench.runs.records.sample import QuestionPlace, RetrievedPassage, Sample
from mabench.runs.rescoring.rescore import rescore
from mabench.runs.rescoring.score_file import score_files
from mabench.runs.results.questions import QuestionRow
from mabench.runs.results.run import Run
from mabench.runs.results.scored import NOT_JUDGED, ScoredQuestion
from mabench.runs.results.summaries import (
    CallsEach,
    CallsSummary,
    CallTotals,
    Intervals,
    MeanScore,
    MemorySummary,
    Mismatches,
    PredictionsSummary,
    RetrievalSummary,
    RunSummary,
    ScoreSummary,
    SearchSummary,
    SourceScores,
    SourceSummary,
    Usage,
)
from mabench.runs.results.summary import total_scores
from mabench.runs.run import run
from mabench.runs.sweep import SweepPoint, estimate_sweep, run_repeatedly, sweep
from mabench.specs import (
    AgentSpec,
    DataSpec,
    InjectionSpec,
    JudgeSpec,
    Limits,
    RunSpec,
    SweepSpec,
)

__all__ = [
    "NOT_JUDGED",
    "AgentSpec",
    "Agreement",
    "CallTotals",
    "CallsEach",
    "CallsSummary",
    "DataSpec",
    "IfKnown",
    "InjectionSpec",
    "Intervals",
    "Json",
    "JsonRecord",
    "JudgeName",
    "JudgeSpec",
    "JudgingStoppedError",
    "Judgment",
    "Limits",
    "ListedRun",
    "MeanScore",
    "MemorySummary",
    "Mismatches",
    "PredictionsSummary",
    "QuestionPlace",
    "QuestionRow",
    "RetrievalSummary",
    "RetrievedPassage",
    "Run",
    "RunInterrupt",
    "RunSpec",
    "RunStoppedError",
    "RunSummary",
    "Sample",
    "ScoreSummary",
    "ScoredQuestion",
    "SearchSummary",
    "SourceScores",
    "SourceSummary",
    "State",
    "SweepPoint",
    "SweepSpec",
    "Usage",
    "compare_judges",
    "depth_of",
    "estimate_judging",
    "estimate_run",
    "estimate_sweep",
    "judge",
    "list_runs",
    "rescore",
    "run",
    "run_repeatedly",
    "score_files",
    "sweep",
    "total_scores",
]
