"""What finished runs show of a source: how differences vary, and what is spent."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from mabench.comparison.entries import RunEntry
from mabench.comparison.planning.expenses import measure_expenses
from mabench.uncertainty import Components, Floats, Grouped
from mabench.uncertainty.power import Variation


class Pilot(NamedTuple):
    """What runs show of a source."""

    source: str
    kind: Components | None  # What differences vary by; None if the runs have one history.
    costs: Floats  # Of all agents together, in shape (3, 4): see ``measure_expenses``.
    asked: int  # Questions of a history.
    histories: int
    difference: float | None  # Of the runs, in points; None for one run.

    @property
    def variation(self) -> Variation | None:
        """What differences vary by, as far as the runs show it; None if they have one history."""
        return Variation(self.kind, self.histories - 1) if self.kind else None


def read_pilot(source: str, entries: Sequence[RunEntry]) -> Pilot:
    """Return what one or two runs show of a source.

    For one, another agent is taken to cost and vary as much, with nothing in common.
    """
    scores = [entry.table(source).scores for entry in entries]
    if len(scores) == 1:
        (differences,) = scores  # Those to another agent vary by the scores of both.
        points_apart = None
        factor = 2  # For the other agent, which nobody ran.
    else:
        first, second = scores
        # Builds of A and B are paired in their order.
        paired_builds = min(len(first), len(second))
        differences = first[:paired_builds] - second[:paired_builds]
        points_apart = 100 * float(first.mean() - second.mean())
        factor = 1
    grouped = Grouped(differences.mean(axis=0), entries[0].table(source).histories)
    kind = Components.of(differences, grouped)
    if kind:
        kind = kind.times(factor)
        # If no question differs, the variance is as if one more were won and one more lost.
        least = 2 / (grouped.n + 2)
        kind = kind._replace(question=kind.question or least)
    spent = [measure_expenses(entry, source, grouped) for entry in entries]
    return Pilot(
        source=source,
        kind=kind,
        costs=factor * np.sum(spent, axis=0),
        asked=round(grouped.n / grouped.groups),
        histories=grouped.groups,
        difference=points_apart,
    )
