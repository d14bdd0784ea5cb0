"""Statistics of scores that come in histories: intervals, means with weights, paired tests.

Questions about one history share one memory, so they are not independent: what many questions
about a few histories can show of other histories is little. The page
``docs/explanation/what-can-be-concluded.md`` explains each figure.
Nothing here knows of runs, sources or files.
"""

from mabench.uncertainty.grouped import Floats, Grouped
from mabench.uncertainty.intervals import (
    MIN_DIFFERENT,
    MIN_HISTORIES,
    Interval,
    Spread,
    new_histories,
    spread,
    student,
    these_histories,
)
from mabench.uncertainty.means import Part, combined
from mabench.uncertainty.paired import Difference, detectable, difference
from mabench.uncertainty.significance import ALPHA, benjamini_hochberg, by_spread, holm

__all__ = [
    "ALPHA",
    "MIN_DIFFERENT",
    "MIN_HISTORIES",
    "Difference",
    "Floats",
    "Grouped",
    "Interval",
    "Part",
    "Spread",
    "benjamini_hochberg",
    "by_spread",
    "combined",
    "detectable",
    "difference",
    "holm",
    "new_histories",
    "spread",
    "student",
    "these_histories",
]
