"""Scores of a prediction, computed from strings alone: official (published) and corrected.

Nothing here knows of rows or sources: which functions a source uses is said in
``mabench.families``. ``docs/explanation/two-scores.md`` explains both scores with examples.
"""

from typing import TYPE_CHECKING

from mabench.facades import load_when_used

if TYPE_CHECKING:
    from mabench.scoring.catalogue import Catalogue as Catalogue
    from mabench.scoring.catalogue import prepared as prepared
    from mabench.scoring.corrected.answer import correct_answer as correct_answer
    from mabench.scoring.corrected.choice import correct_choice as correct_choice
    from mabench.scoring.corrected.label import correct_label as correct_label
    from mabench.scoring.corrected.recommendation import (
        correct_recommendation as correct_recommendation,
    )
    from mabench.scoring.corrected.rule import Corrected as Corrected
    from mabench.scoring.corrected.unanswerable import correct_unanswerable as correct_unanswerable
    from mabench.scoring.lexicon import RULES as RULES
    from mabench.scoring.official import eventqa_recall as eventqa_recall
    from mabench.scoring.official import normalize as normalize
    from mabench.scoring.official import parsed_only as parsed_only
    from mabench.scoring.official import raw_or_parsed as raw_or_parsed
    from mabench.scoring.official import recommendation_recall as recommendation_recall
    from mabench.scoring.tokens import answer_finder as answer_finder
else:
    __getattr__, __dir__, __all__ = load_when_used(__name__, __file__)
