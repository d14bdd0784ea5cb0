"""The corrected score: deterministic rules that a careful reader would accept."""

from mabench.metrics.corrected.answer import correct_answer
from mabench.metrics.corrected.choice import correct_choice
from mabench.metrics.corrected.label import correct_label, label_of
from mabench.metrics.corrected.recommendation import correct_recommendation
from mabench.metrics.corrected.result import Corrected
from mabench.metrics.corrected.standing import answer_finder

__all__ = [
    "Corrected",
    "answer_finder",
    "correct_answer",
    "correct_choice",
    "correct_label",
    "correct_recommendation",
    "label_of",
]
