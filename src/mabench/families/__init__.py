"""What is special about each family of sources: one module each, and the way to find it."""

from mabench.families.family import (
    AuditCheck,
    Budget,
    Family,
    JudgePrompt,
    JudgingInput,
    ProtocolName,
    Rubric,
    ScoringInput,
    Verdict,
)
from mabench.families.prompts import SYSTEM_MESSAGE, Prompts, load_prompts, search_query
from mabench.families.registry import FAMILIES, families_of, family_named, family_of
from mabench.families.scoring import Score, score_answer
from mabench.families.unclear import UNCLEAR

__all__ = [
    "FAMILIES",
    "SYSTEM_MESSAGE",
    "UNCLEAR",
    "AuditCheck",
    "Budget",
    "Family",
    "JudgePrompt",
    "JudgingInput",
    "Prompts",
    "ProtocolName",
    "Rubric",
    "Score",
    "ScoringInput",
    "Verdict",
    "families_of",
    "family_named",
    "family_of",
    "load_prompts",
    "score_answer",
    "search_query",
]
