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
    are_right_and_wrong = np.isin(values, (-1.0, 0.0, 1.0)).all()
    if not are_right_and_wrong:
        return Estimate(differences.mean, plain)
    # Shares of n + 2 questions.
    won = ((values == 1).sum() + 1) / (n + 2)
    lost = ((values == -1).sum() + 1) / (n + 2)
    variance = float(won + lost - (won - lost) ** 2) / (n + 2)
    # What the variance would be if all questions were of one history.
    variance_of_one = float(values.var()) / (n - 1) if n > 1 else 0.0
    share_within = min(1.0, plain.variance / variance_of_one) if variance_of_one else 1.0
    return Estimate(float(won - lost), Spread(variance * share_within, plain.freedom))
