"""Statistics of scores that come in histories: intervals, means with weights, paired tests.

Questions about one history share one memory, so they are not independent: what many questions
about a few histories can show of other histories is little. The page
``docs/explanation/what-can-be-concluded.md`` explains each figure.
Nothing here knows of runs, sources or files.
"""

from mabench.uncertainty.intervals import (
    MIN_DIFFERENT,
    MIN_HISTORIES,
    Floats,
    Grouped,
    Interval,
    Part,
    Spread,
    combine,
    new_histories,
    spread,
    student,
    these_histories,
)
from mabench.uncertainty.paired import (
    ALPHA,
    benjamini_hochberg,
    by_spread,
    detectable,
    difference,
    holm,
)

__all__ = [
    "ALPHA",
    "MIN_DIFFERENT",
    "MIN_HISTORIES",
    "Floats",
    "Grouped",
    "Interval",
    "Part",
    "Spread",
    "benjamini_hochberg",
    "by_spread",
    "combine",
    "detectable",
    "difference",
    "holm",
    "new_histories",
    "spread",
    "student",
    "these_histories",
]
