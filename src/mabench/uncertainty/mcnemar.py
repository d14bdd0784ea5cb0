"""McNemar's exact test of questions that only one of two agents answered right."""

from __future__ import annotations

from mabench.uncertainty.signs import SignCounts


def mcnemar_p(counts: SignCounts) -> float:
    """Return the two-sided p of wins and losses that are independent; ties do not count."""
    from scipy.special import bdtr

    wins, losses, _ = counts
    return min(1.0, 2 * float(bdtr(min(wins, losses), wins + losses, 0.5)))
