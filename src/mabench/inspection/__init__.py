"""Looking into a run: one question with all that is known of how its answer came to be.

``question_views`` brings together what a run folder keeps and the history, which is read from the
data again.
"""

from mabench.inspection.marks import excerpt, spans
from mabench.inspection.selection import Choice, Selection, chosen
from mabench.inspection.views import PassageView, QuestionView, question_views

__all__ = [
    "Choice",
    "PassageView",
    "QuestionView",
    "Selection",
    "chosen",
    "excerpt",
    "question_views",
    "spans",
]
