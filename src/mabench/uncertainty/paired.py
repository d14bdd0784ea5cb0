"""The difference of two agents on the same questions."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt

import numpy as np

from mabench.uncertainty.grouped import Floats, Grouped
from mabench.uncertainty.intervals import (
    MIN_DIFFERENT,
    MIN_HISTORIES,
    Interval,
    Spread,
    quantile,
    spread,
    student,
)
from mabench.uncertainty.significance import by_history, by_question

POWER = 0.8


@dataclass(frozen=True, slots=True)
class Difference:
    """What the paired differences on a source say, in shares from -1 to 1.

    Attributes:
        difference: the mean difference.
        these: its interval for these histories; None where each has one question.
        these_p: its p for these histories.
        new: its interval for new histories; None where nothing can be said of them.
        new_p: its p for new histories; None where it could not fall below 0.05.
        wins, losses, ties: the questions with a difference above, below and of 0.
        history_wins, history_losses, history_ties: the histories, likewise.
        detectable: the true difference that would be found in 4 of 5 cases.
        these_spread, new_spread: how uncertain the difference is, as a part of a mean.
    """

    difference: float
    these: Interval | None
    these_p: float
    new: Interval | None
    new_p: float | None
    wins: int
    losses: int
    ties: int
    history_wins: int
    history_losses: int
    history_ties: int
    detectable: float
    these_spread: Spread
    new_spread: Spread


def difference(differences: Grouped) -> Difference:
    """Return what paired differences say; they run from -1 to 1."""
    wins, losses, ties = _signs(differences.values)
    history_wins, history_losses, history_ties = _signs(differences.totals)
    centre, these_spread = _these_histories(differences)
    new_spread = spread(differences, new=True)
    told = differences.groups >= MIN_HISTORIES and history_wins + history_losses >= MIN_DIFFERENT
    return Difference(
        difference=differences.mean,
        these=student(centre, these_spread, -1.0, 1.0) if differences.within[1] else None,
        these_p=by_question(differences.values),
        new=student(differences.mean, new_spread, -1.0, 1.0) if told else None,
        new_p=by_history(differences.totals),
        wins=wins,
        losses=losses,
        ties=ties,
        history_wins=history_wins,
        history_losses=history_losses,
        history_ties=history_ties,
        detectable=detectable(new_spread if told else these_spread),
        these_spread=these_spread,
        new_spread=new_spread if differences.groups >= MIN_HISTORIES else these_spread,
    )


def detectable(uncertain: Spread) -> float:
    """Return the true difference that would be found with a power of 80 %."""
    both = quantile(uncertain.freedom) + quantile(uncertain.freedom, POWER)
    return both * sqrt(uncertain.variance)


def _signs(values: Floats) -> tuple[int, int, int]:
    above, below = int((values > 0).sum()), int((values < 0).sum())
    return above, below, len(values) - above - below


def _these_histories(differences: Grouped) -> tuple[float, Spread]:
    """Return the centre of the interval for these histories, and the spread around it.

    Of differences of right and wrong answers they are those of Bonett and Price (2012), as if
    one question more had been won and one more lost, since few may differ at all. Several
    histories keep the share of the variance that lies within them.
    """
    plain = spread(differences, new=False)
    values, n = differences.values, differences.n
    if not np.isin(values, (-1.0, 0.0, 1.0)).all():
        return differences.mean, plain
    won, lost = ((values == 1).sum() + 1) / (n + 2), ((values == -1).sum() + 1) / (n + 2)
    variance = float(won + lost - (won - lost) ** 2) / (n + 2)
    together = float(values.var()) / (n - 1) if n > 1 else 0.0
    share = plain.variance / together if together else 1.0
    return float(won - lost), Spread(variance * share, plain.freedom)
