"""What a gate asks of a difference: is a loss of more than a margin shown, or is it excluded?"""

from __future__ import annotations

from mabench.comparison.results import MeanDifference, Pair
from mabench.data.inventory import without_length
from mabench.errors import UsageError
from mabench.printable import write_count


def is_worse(difference: MeanDifference, margin: float) -> bool:
    """Return whether a run is shown to be worse than its baseline by more than ``margin`` points.

    It is when all of the interval lies below ``-margin``.
    """
    return difference.interval is not None and difference.interval.high < -margin


def is_as_good(difference: MeanDifference, margin: float) -> bool:
    """Return whether a run is shown to be no more than ``margin`` points worse than its baseline.

    It is when no value of the interval is below ``-margin``. Without an interval nothing is shown.
    """
    return difference.interval is not None and difference.interval.low >= -margin


def find_deciding_difference(pair: Pair, on: str | None = None) -> tuple[str, MeanDifference]:
    """Return the difference by which a gate decides, and what it is a difference of.

    That is the source ``on``, with its length or without; by default the overall score where it is
    complete, else the mean of the compared sources.

    Raises:
        UsageError: when the source was not compared, or several have the name.
    """
    if on is None:
        if pair.overall:
            return "the overall score", pair.headline
        if len(pair.sources) == 1:
            return next(iter(pair.sources)), pair.headline
        return f"the mean of {write_count(len(pair.sources), 'source')}", pair.headline
    meant = [on] if on in pair.sources else [n for n in pair.sources if without_length(n) == on]
    if len(meant) != 1:
        how = f"means {' and '.join(meant)}; name one" if meant else "was not compared"
        raise UsageError(f"{on} {how}; there are {', '.join(pair.sources)}", parameter="on")
    return meant[0], pair.sources[meant[0]]
