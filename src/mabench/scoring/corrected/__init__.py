"""The corrected score: deterministic rules that a careful reader would accept."""

from mabench.scoring.corrected.answer import answer_finder, correct_answer
from mabench.scoring.corrected.choice import correct_choice
from mabench.scoring.corrected.label import correct_label, label_of
from mabench.scoring.corrected.recommendation import correct_recommendation
from mabench.scoring.corrected.rule import Corrected

__all__ = [
    "Corrected",
    "answer_finder",
    "correct_answer",
    "correct_choice",
    "correct_label",
    "correct_recommendation",
    "label_of",
]
