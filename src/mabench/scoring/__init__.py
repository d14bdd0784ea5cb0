"""Scores of a prediction, computed from strings alone: official (published) and corrected.

Nothing here knows of rows or sources: which functions a source uses is said in
``mabench.families``. ``docs/scoring.md`` explains both scores with examples.
"""

from mabench.scoring.catalogue import Catalogue
from mabench.scoring.corrected import (
    Corrected,
    answer_finder,
    correct_answer,
    correct_choice,
    correct_label,
    correct_recommendation,
    label_of,
)
from mabench.scoring.judge_replies import cohens_kappa, counts, summary_score, yes_or_no
from mabench.scoring.official import (
    Scores,
    eventqa_recall,
    exact_match,
    f1,
    normalize,
    parse_answer,
    parsed_only,
    raw_or_parsed,
    recommendation_recall,
    rouge_l,
    rouge_lsum,
    substring_exact_match,
    text_scores,
)

__all__ = [
    "Catalogue",
    "Corrected",
    "Scores",
    "answer_finder",
    "cohens_kappa",
    "correct_answer",
    "correct_choice",
    "correct_label",
    "correct_recommendation",
    "counts",
    "eventqa_recall",
    "exact_match",
    "f1",
    "label_of",
    "normalize",
    "parse_answer",
    "parsed_only",
    "raw_or_parsed",
    "recommendation_recall",
    "rouge_l",
    "rouge_lsum",
    "substring_exact_match",
    "summary_score",
    "text_scores",
    "yes_or_no",
]
