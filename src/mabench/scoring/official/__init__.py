"""The published scorer's figures, its quirks included, so that scores compare with the paper's."""

from mabench.scoring.official.overlap import exact_match, f1, normalize, substring_exact_match
from mabench.scoring.official.recommendation import recommendation_recall, recommended_items
from mabench.scoring.official.rouge import Rouge, rouge_l, rouge_lsum
from mabench.scoring.official.scores import (
    Scores,
    eventqa_recall,
    parse_answer,
    parsed_only,
    raw_or_parsed,
    text_scores,
)

__all__ = [
    "Rouge",
    "Scores",
    "eventqa_recall",
    "exact_match",
    "f1",
    "normalize",
    "parse_answer",
    "parsed_only",
    "raw_or_parsed",
    "recommendation_recall",
    "recommended_items",
    "rouge_l",
    "rouge_lsum",
    "substring_exact_match",
    "text_scores",
]
