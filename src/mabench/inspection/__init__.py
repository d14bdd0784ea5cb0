"""Selects questions of a run and collects everything known about how they were answered.

It only reads: nothing in the run's folder changes.
"""

from typing import TYPE_CHECKING

from mabench.facades import load_when_used

if TYPE_CHECKING:
    from mabench.inspection.background import describe as describe
    from mabench.inspection.background import look_up as look_up
    from mabench.inspection.selection import CAUSES as CAUSES
    from mabench.inspection.selection import Cause as Cause
    from mabench.inspection.selection import Selection as Selection
    from mabench.inspection.titles import title_golds as title_golds
else:
    __getattr__, __dir__, __all__ = load_when_used(__name__, __file__)
