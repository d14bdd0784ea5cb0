"""Examines the answer key: how golds are scored, where they occur, and which are doubtful.

It must never look at a prediction.
"""

from typing import TYPE_CHECKING

from mabench.facades import load_when_used

if TYPE_CHECKING:
    from mabench.audit.answer_key import Gold as Gold
    from mabench.audit.answer_key import Golds as Golds
    from mabench.audit.answer_key import golds as golds
    from mabench.audit.flags import Audit as Audit
    from mabench.audit.flags import Flag as Flag
    from mabench.audit.flags import audit as audit
    from mabench.audit.flags import row_flags as row_flags
    from mabench.audit.options import GuessScores as GuessScores
    from mabench.audit.places import HistoryPlace as HistoryPlace
    from mabench.audit.places import QuestionPlaces as QuestionPlaces
    from mabench.audit.places import question_places as question_places
    from mabench.audit.places import row_places as row_places
    from mabench.audit.repeats import RepeatedSessions as RepeatedSessions
else:
    __getattr__, __dir__, __all__ = load_when_used(__name__, __file__)
