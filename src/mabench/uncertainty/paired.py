"""What the paired differences of two agents on the same questions say.

It chooses the intervals and the tests, each of which has a module of its own.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from mabench.uncertainty.grouped import MIN_DIFFERENT, MIN_HISTORIES, Floats, Grouped
from mabench.uncertainty.intervals import Interval, Spread
from mabench.uncertainty.mcnemar import mcnemar_p
from mabench.uncertainty.sign_flip import can_detect, sign_flip_p
from mabench.uncertainty.signs import SignCounts


class PairedDifference(NamedTuple):
    """What the paired differences on a source say, in shares from -1 to 1."""

    difference: float  # Their mean.
    these: Interval | None  # For these histories; None if each has one question.
    these_p: float
    new: Interval | None  # For new histories; None if there are too few.
    new_p: float | None  # None if it could not fall below 0.05.
    questions: SignCounts
    histories: SignCounts
    these_spread: Spread  # How uncertain the difference is, as a part of a mean.
    new_spread: Spread


def compare_paired(differences: Grouped) -> PairedDifference:
    """Return what the paired differences of questions say; they run from -1 to 1."""
    histories = SignCounts.of(differences.totals)
    centre, these_spread = _these_histories(differences)
    new_spread = differences.spread(new=True)
    several = differences.groups >= MIN_HISTORIES
    enough = several and histories.wins + histories.losses >= MIN_DIFFERENT
    return PairedDifference(
        difference=differences.mean,
        these=Interval.student(centre, these_spread, -1.0, 1.0) if differences.within[1] else None,
        these_p=_question_p(differences.values),
        new=Interval.student(differences.mean, new_spread, -1.0, 1.0) if enough else None,
        new_p=sign_flip_p(differences.totals) if can_detect(differences.groups) else None,
        questions=SignCounts.of(differences.values),
        histories=histories,
        these_spread=these_spread,
        new_spread=new_spread if several else these_spread,
    )


def _these_histories(differences: Grouped) -> tuple[float, Spread]:
    """Return the centre of the interval for these histories, and the spread around it.

    For right and wrong answers these are those of Bonett and Price (2012): as if one more question
    had been won and one more lost, since few may differ at all. With several histories only the
    share of the variance within them counts.
    """
    plain = differences.spread(new=False)
    values, n = differences.values, differences.n
    if not _are_of_right_and_wrong(values):
        return differences.mean, plain
    won, lost = ((values == 1).sum() + 1) / (n + 2), ((values == -1).sum() + 1) / (n + 2)
    variance = float(won + lost - (won - lost) ** 2) / (n + 2)
    together = float(values.var()) / (n - 1) if n > 1 else 0.0
    share = plain.variance / together if together else 1.0
    return float(won - lost), Spread(variance * share, plain.freedom)


def _question_p(differences: Floats) -> float:
    """Return the p of the differences of questions, which are taken as independent."""
    if _are_of_right_and_wrong(differences):
        return mcnemar_p(SignCounts.of(differences))
    return sign_flip_p(differences)


def _are_of_right_and_wrong(differences: Floats) -> bool:
    return bool(np.isin(differences, (-1.0, 0.0, 1.0)).all())
