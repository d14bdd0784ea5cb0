"""Scores of a prediction, computed from strings alone: official (published) and corrected.

Nothing here knows of rows or sources: which functions a source uses is said in
``mabench.families``. ``docs/explanation/two-scores.md`` explains both scores with examples.
"""

from mabench.scoring.catalogue import Catalogue, prepared
from mabench.scoring.corrected.answer import (
    correct_answer,
    correct_parts,
    correct_unanswerable,
)
from mabench.scoring.corrected.choice import correct_choice
from mabench.scoring.corrected.label import correct_label
from mabench.scoring.corrected.recommendation import correct_recommendation
from mabench.scoring.corrected.rule import Corrected
from mabench.scoring.judge_replies import (
    cohens_kappa,
    counts,
    line_verdict,
    order_score,
    order_verdict,
    says_yes,
    summary_score,
    yes_or_no,
)
from mabench.scoring.lexicon import RULES
from mabench.scoring.official import (
    eventqa_recall,
    normalize,
    parsed_only,
    raw_or_parsed,
    recommendation_recall,
)
from mabench.scoring.tokens import answer_finder

__all__ = [
    "RULES",
    "Catalogue",
    "Corrected",
    "answer_finder",
    "cohens_kappa",
    "correct_answer",
    "correct_choice",
    "correct_label",
    "correct_parts",
    "correct_recommendation",
    "correct_unanswerable",
    "counts",
    "eventqa_recall",
    "line_verdict",
    "normalize",
    "order_score",
    "order_verdict",
    "parsed_only",
    "prepared",
    "raw_or_parsed",
    "recommendation_recall",
    "says_yes",
    "summary_score",
    "yes_or_no",
]
