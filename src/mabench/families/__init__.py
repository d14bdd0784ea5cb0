"""What is special about each family of sources, and the way to find it."""

from mabench.families.benchmark import FAMILIES
from mabench.families.family import (
    AuditCheck,
    Budget,
    Family,
    JudgePrompt,
    JudgingInput,
    Leak,
    ProtocolName,
    Rubric,
    ScoringInput,
)
from mabench.families.parts import UNCLEAR
from mabench.families.prompts import SYSTEM_MESSAGE, Prompts, search_query
from mabench.families.registry import families_of, family_of
from mabench.families.scoring import Score, score_answer

__all__ = [
    "FAMILIES",
    "SYSTEM_MESSAGE",
    "UNCLEAR",
    "AuditCheck",
    "Budget",
    "Family",
    "JudgePrompt",
    "JudgingInput",
    "Leak",
    "Prompts",
    "ProtocolName",
    "Rubric",
    "Score",
    "ScoringInput",
    "families_of",
    "family_of",
    "score_answer",
    "search_query",
]
