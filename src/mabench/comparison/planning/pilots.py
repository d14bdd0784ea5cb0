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
    agents, scores = 3 - len(entries), [entry.table(source).scores for entry in entries]
    count = min(map(len, scores))
    # Builds of A and B are paired in their order.
    builds = scores[0][:count] - (scores[1][:count] if scores[1:] else 0.0)
    grouped = Grouped(builds.mean(axis=0), entries[0].table(source).histories)
    if kind := Components.of(builds, grouped):
        kind = kind.times(agents)
        # If no question differs, as if one were won and one lost.
        few = 2 / (grouped.n + 2)
        kind = kind._replace(question=kind.question or few)
    spent = [measure_expenses(entry, source, grouped) for entry in entries]
    return Pilot(
        source,
        kind,
        agents * np.sum(spent, axis=0),
        asked=round(grouped.n / grouped.groups),
        histories=grouped.groups,
        difference=100 * float(scores[0].mean() - scores[1].mean()) if scores[1:] else None,
    )
