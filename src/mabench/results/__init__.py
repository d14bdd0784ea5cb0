"""Results: what a run leaves on disk, which scores count, and what they come to."""

from mabench.results.calls import CallsEach, CallsSummary, CallTally, CallTotals, MemorySummary
from mabench.results.judging.agreement import Agreement, compare_judges
from mabench.results.judging.judging import JudgingStoppedError, estimate_judging, judge
from mabench.results.listing import RUNS, ListedRun, State, find_folder, list_runs
from mabench.results.measure import THESE, Intervals, Limits, Measure
from mabench.results.memory import count_seconds, memory_summary
from mabench.results.races import (
    Decision,
    RaceFile,
    RacePair,
    RacePlan,
    RaceResult,
    read_race,
    write_race,
)
from mabench.results.records.files import DamagedLine
from mabench.results.records.lines import (
    CallRecord,
    JudgeName,
    Judgment,
    Key,
    MemoryRecord,
    Place,
    QuestionPlace,
    RetrievedPassage,
    Sample,
    Timing,
)
from mabench.results.records.record import (
    CodeRecord,
    DataRecord,
    ModelRecord,
    RecordDifference,
    RunRecord,
    TakesRecord,
)
from mabench.results.records.store import RunFolder
from mabench.results.rescoring import Mismatches, PredictionsSummary, rescore, score_files
from mabench.results.retrieval import EvidenceSummary, RetrievalSummary
from mabench.results.run import QuestionRow, Run
from mabench.results.scored import (
    PARTS,
    UNTOLD,
    RunVerdicts,
    ScoredQuestion,
    error_fields,
    score_sample,
)
from mabench.results.summaries import (
    AnswerUsage,
    MeanScore,
    RunSummary,
    ScoreSummary,
    SourceScores,
    SourceSummary,
    TypeScores,
)
from mabench.results.tally import mean_intervals, paper_weights, total_scores

__all__ = [
    "PARTS",
    "RUNS",
    "THESE",
    "UNTOLD",
    "Agreement",
    "AnswerUsage",
    "CallRecord",
    "CallTally",
    "CallTotals",
    "CallsEach",
    "CallsSummary",
    "CodeRecord",
    "DamagedLine",
    "DataRecord",
    "Decision",
    "EvidenceSummary",
    "Intervals",
    "JudgeName",
    "JudgingStoppedError",
    "Judgment",
    "Key",
    "Limits",
    "ListedRun",
    "MeanScore",
    "Measure",
    "MemoryRecord",
    "MemorySummary",
    "Mismatches",
    "ModelRecord",
    "Place",
    "PredictionsSummary",
    "QuestionPlace",
    "QuestionRow",
    "RaceFile",
    "RacePair",
    "RacePlan",
    "RaceResult",
    "RecordDifference",
    "RetrievalSummary",
    "RetrievedPassage",
    "Run",
    "RunFolder",
    "RunRecord",
    "RunSummary",
    "RunVerdicts",
    "Sample",
    "ScoreSummary",
    "ScoredQuestion",
    "SourceScores",
    "SourceSummary",
    "State",
    "TakesRecord",
    "Timing",
    "TypeScores",
    "compare_judges",
    "count_seconds",
    "error_fields",
    "estimate_judging",
    "find_folder",
    "judge",
    "list_runs",
    "mean_intervals",
    "memory_summary",
    "paper_weights",
    "read_race",
    "rescore",
    "score_files",
    "score_sample",
    "total_scores",
    "write_race",
]
