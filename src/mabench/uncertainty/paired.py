"""What the paired differences of two agents on the same questions say.

Of these histories, other questions may come out otherwise; of new ones, ``clustered`` speaks.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from mabench.uncertainty.clustered import estimate_new, speaks_of_new
from mabench.uncertainty.grouped import Grouped
from mabench.uncertainty.intervals import Estimate, Spread
from mabench.uncertainty.signs import SignCounts


class PairedDifference(NamedTuple):
    """What the paired differences on a source say, in shares from -1 to 1."""

    difference: float  # Their mean.
    these: Estimate | None  # For these histories; None if each has one question.
    new: Estimate | None  # For new histories; None if there are too few.
    questions: SignCounts
    histories: SignCounts


def compare_paired(differences: Grouped) -> PairedDifference:
    """Return what the paired differences of questions say; they run from -1 to 1."""
    return PairedDifference(
        difference=differences.mean,
        these=estimate_these(differences) if differences.within[1] else None,
        new=estimate_new([(1.0, differences)]) if speaks_of_new([differences]) else None,
        questions=SignCounts.of(differences.values),
        histories=SignCounts.of(differences.totals),
    )


def estimate_these(differences: Grouped) -> Estimate:
    """Return the mean difference, as an estimate of that on other questions of these histories.

    For right and wrong answers it is that of Bonett and Price (2012): as if one more question had
    been won and one more lost, since few may differ at all. With several histories only the share
    of the variance within them counts.
    """
    plain = differences.spread_of_these
    values, n = differences.values, differences.n
    if not np.isin(values, (-1.0, 0.0, 1.0)).all():
        return Estimate(differences.mean, plain)
    won, lost = ((values == 1).sum() + 1) / (n + 2), ((values == -1).sum() + 1) / (n + 2)
    variance = float(won + lost - (won - lost) ** 2) / (n + 2)
    together = float(values.var()) / (n - 1) if n > 1 else 0.0
    share = min(1.0, plain.variance / together) if together else 1.0
    return Estimate(float(won - lost), Spread(variance * share, plain.freedom))
