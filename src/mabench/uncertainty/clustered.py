"""The one test of a mean over new histories: a cluster jackknife, with Student's t.

Questions about one history share one memory, so whole histories are left out in turn. What comes of
it is behind the interval, the p value and the detectable difference of every comparison, and a
difference is shown exactly where its interval excludes 0. Histories that share their text are one
cluster, also where they belong to several sources. ``benchmarks/claims.py`` simulates how often
what follows is wrong.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from mabench.uncertainty.grouped import Floats, Grouped
from mabench.uncertainty.intervals import MIN_HISTORIES, Estimate, Spread
from mabench.uncertainty.means import WeightedPart

_ROUNDING = 1e-9  # By which five histories of one size may seem to be fewer than five.

# A source's weight in a mean, and the scores of its questions.
Weighted = tuple[float, Grouped]


class Sharing(NamedTuple):
    """The clusters of some sources in their order, and where the sources have them."""

    clusters: int  # How many there are.
    of_histories: Sequence[NDArray[np.intp]]  # By source: the cluster of each history.
    together: Sequence[Sequence[int]]  # The sources that share clusters, directly or not.

    @classmethod
    def of(cls, groups: Sequence[Grouped]) -> Sharing:
        """Number the clusters of sources, and find which sources share some."""
        numbers: dict[Hashable, int] = {}  # Of clusters by name, from 0 as they first occur.
        of_histories = []
        together: list[tuple[set[int], list[int]]] = []  # Clusters, and the sources that have them.
        for source, group in enumerate(groups):
            names = group.texts or [(source, history) for history in range(group.groups)]
            codes = [numbers.setdefault(name, len(numbers)) for name in names]
            of_histories.append(np.array(codes, dtype=np.intp))
            # All sources that share a cluster with this one are joined with it.
            apart = []
            joined_clusters, joined_sources = {*codes}, list[int]()
            for clusters, sources in together:
                if clusters.isdisjoint(codes):
                    apart.append((clusters, sources))
                else:
                    joined_clusters |= clusters
                    joined_sources += sources
            together = [*apart, (joined_clusters, [*joined_sources, source])]
        return cls(
            clusters=len(numbers),
            of_histories=of_histories,
            together=[sources for _, sources in together],
        )


def count_effective(sizes: Floats) -> float:
    """Return how many histories of one size would say as much: n² / Σ n_h²."""
    return float(sizes.sum() ** 2 / (sizes**2).sum())


def speaks_of_new(groups: Iterable[Grouped]) -> bool:
    """Return whether a mean of sources can speak of new histories: whether each of them can."""
    return all(count_clusters(group) >= MIN_HISTORIES - _ROUNDING for group in groups)


def estimate_new(parts: Sequence[Weighted]) -> Estimate:
    """Return a weighted mean of sources, as an estimate of that of new histories.

    The variance is that of the cluster jackknife, V = (G - 1) / G Σ (m_-g - m)², where m_-g is the
    mean without cluster g (CV3 of MacKinnon, Nielsen and Webb, Journal of Applied Econometrics 38,
    2023; without the factor it is CR3 of Bell and McCaffrey). Student's t has as many degrees of
    freedom as there are effective histories, less one. Sources that share no cluster are
    independent, and their variances are added (Satterthwaite 1946).

    The variance is no less than ``Grouped.least_variance``: where all histories came out alike,
    another might not.

    Args:
        parts: the sources with their weights, each with at least two clusters.
    """
    sharing = Sharing.of([group for _, group in parts])
    independent = []
    for sources in sharing.together:
        sharing_parts = [parts[source] for source in sources]
        mean = sum(weight * group.mean for weight, group in sharing_parts)
        of_histories = [sharing.of_histories[source] for source in sources]
        spread = _spread_of_new(sharing_parts, of_histories, sharing.clusters)
        independent.append(WeightedPart(1.0, mean, spread))
    return Estimate(*WeightedPart.combine(independent))


def _spread_of_new(
    parts: Sequence[Weighted], of_histories: Sequence[NDArray[np.intp]], clusters: int
) -> Spread:
    """Return how uncertain a weighted sum of sources that share clusters is.

    Args:
        parts: the sources with their weights.
        of_histories: by source, the cluster of each history.
        clusters: how many clusters there are, also of other sources.
    """
    moves = np.zeros(clusters)  # How far the sum moves if a cluster is left out.
    shares = np.zeros(clusters)  # The weight of each cluster in the sum.
    least = 0.0
    for (weight, group), codes in zip(parts, of_histories, strict=True):
        # By cluster: how many questions it has, and the sum of their scores.
        sizes = np.bincount(codes, weights=group.sizes, minlength=clusters)
        totals = np.bincount(codes, weights=group.totals, minlength=clusters)
        means_without = (group.totals.sum() - totals) / (group.n - sizes)
        moves += weight * (means_without - group.mean)
        shares += weight * sizes / group.n
        least += weight**2 * group.least_variance
    # Clusters of other sources only have no share, and do not move the sum.
    count = np.count_nonzero(shares)
    variance = (count - 1) / count * float((moves**2).sum())
    return Spread(max(variance, least), freedom=max(1.0, count_effective(shares) - 1))


def count_clusters(group: Grouped) -> float:
    """Return how many effective clusters a source has."""
    if group.texts is None:  # Each history is a cluster.
        return count_effective(group.sizes)
    (codes,) = Sharing.of([group]).of_histories
    return count_effective(np.bincount(codes, weights=group.sizes).astype(np.float64))
