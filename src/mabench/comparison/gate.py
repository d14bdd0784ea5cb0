"""The gate: is a run worse than its baseline by more than is allowed?"""

from __future__ import annotations

from typing import NamedTuple

from mabench.comparison.results import MeanDifference, Pair
from mabench.data.inventory import without_length
from mabench.errors import UsageError


class GatedScore(NamedTuple):
    """The score that a gate compares.

    Attributes:
        name: the overall score, the mean of the compared sources, or a source.
        difference: the difference of a run and its baseline.
    """

    name: str
    difference: MeanDifference


def gated_score(pair: Pair, on: str | None = None) -> GatedScore:
    """Return the difference that decides.

    Args:
        pair: a run and its baseline.
        on: the source that decides, with its length or without; by default all of them do: the
            overall score where it is complete, else the mean of the compared sources.

    Raises:
        UsageError: when the source was not compared.
    """
    if on is None:
        name = "Overall" if pair.overall else f"the mean of {len(pair.sources)} sources"
        return GatedScore(name, pair.headline)
    meant = [on] if on in pair.sources else [n for n in pair.sources if without_length(n) == on]
    if len(meant) != 1:
        how = f"means {' and '.join(meant)}; name one" if meant else "was not compared"
        raise UsageError(f"{on} {how}; there are {', '.join(pair.sources)}", parameter="on")
    return GatedScore(meant[0], pair.sources[meant[0]])


def is_worse(difference: MeanDifference, points: float) -> bool:
    """Whether a run is worse than its baseline by more than ``points``, and not by chance.

    It is when the difference is below ``-points`` and the interval for these histories excludes
    0; where each history has one question, that for new histories stands for it.
    """
    limits = difference.these_histories or difference.new_histories
    return difference.difference < -points and limits is not None and limits.high < 0
