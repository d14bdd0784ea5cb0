"""Results: what a run leaves on disk, which scores count, and what they come to."""

from mabench.json_text import IfKnown, Json, JsonRecord
from mabench.results.calls import CallsEach, CallsSummary, CallTotals
from mabench.results.judging.agreement import Agreement, compare_judges
from mabench.results.judging.judging import JudgingStoppedError, estimate_judging, judge
from mabench.results.listing import ListedRun, State, list_runs
from mabench.results.records.sample import (
    JudgeName,
    Judgment,
    QuestionPlace,
    RetrievedPassage,
    Sample,
)
from mabench.results.rescoring.rescore import rescore
from mabench.results.rescoring.score_file import Mismatches, PredictionsSummary, score_files
from mabench.results.run import QuestionRow, Run
from mabench.results.scored import NOT_JUDGED, ScoredQuestion, read_metrics
from mabench.results.summaries import (
    AnswerUsage,
    Intervals,
    MeanScore,
    MemorySummary,
    RetrievalSummary,
    RunSummary,
    ScoreSummary,
    SourceScores,
    SourceSummary,
)
from mabench.results.summary import total_scores

__all__ = [
    "NOT_JUDGED",
    "Agreement",
    "AnswerUsage",
    "CallTotals",
    "CallsEach",
    "CallsSummary",
    "IfKnown",
    "Intervals",
    "Json",
    "JsonRecord",
    "JudgeName",
    "JudgingStoppedError",
    "Judgment",
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
    "RunSummary",
    "Sample",
    "ScoreSummary",
    "ScoredQuestion",
    "SourceScores",
    "SourceSummary",
    "State",
    "compare_judges",
    "estimate_judging",
    "judge",
    "list_runs",
    "read_metrics",
    "rescore",
    "score_files",
    "total_scores",
]
