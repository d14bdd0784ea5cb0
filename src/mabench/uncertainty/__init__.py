"""Statistics of scores that come in histories: intervals, means with weights, paired tests.

Questions about one history share one memory, so they are not independent: what many questions
about a few histories can show of other histories is little. ``docs/statistics.md`` explains
each figure. Nothing here knows of runs, sources or files.
"""

from mabench.uncertainty.grouped import Grouped
from mabench.uncertainty.intervals import (
    MIN_HISTORIES,
    Interval,
    Spread,
    new_histories,
    spread,
    student,
    these_histories,
)
from mabench.uncertainty.means import Part, combined
from mabench.uncertainty.paired import Difference, difference
from mabench.uncertainty.significance import benjamini_hochberg, holm

__all__ = [
    "MIN_HISTORIES",
    "Difference",
    "Grouped",
    "Interval",
    "Part",
    "Spread",
    "benjamini_hochberg",
    "combined",
    "difference",
    "holm",
    "new_histories",
    "spread",
    "student",
    "these_histories",
]
