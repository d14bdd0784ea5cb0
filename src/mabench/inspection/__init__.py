"""Looking into a run: one question with all that is known of how its answer came to be.

``question_views`` brings together what a run folder keeps and the history, which is read from the
data again.
"""

from mabench.inspection.marks import excerpt, spans
from mabench.inspection.selection import AnswerFilter, Selection, select_questions
from mabench.inspection.views import PassageView, QuestionView, question_views

__all__ = [
    "AnswerFilter",
    "PassageView",
    "QuestionView",
    "Selection",
    "excerpt",
    "question_views",
    "select_questions",
    "spans",
]
