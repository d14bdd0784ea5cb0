"""How a race stands, which its run folders alone decide: nothing else is remembered.

So a race that was stopped decides as one that was not, after the same history.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import combinations, takewhile
from pathlib import Path
from statistics import fmean

import numpy as np

from mabench.comparison.entries import open_entry
from mabench.json_text import Json
from mabench.results import RacePlan, Run, RunFolder, read_race
from mabench.runs.folder import repeat_folders
from mabench.uncertainty import Floats, Interval
from mabench.uncertainty.sequence import confidence_sequence

# The scores of the questions of one build by row, which source and number name.
_Build = Mapping[tuple[str, int], Sequence[float]]


class Decision(StrEnum):
    """What a race has shown of two agents."""

    A = "a"
    B = "b"
    EQUAL = "equal"
    UNDECIDED = "undecided"


@dataclass(frozen=True, slots=True)
class RacePair:
    """Two agents, up to the history that decided between them, or the last that both were told.

    ``a`` and ``b`` are their places in the plan. After each history stands the mean difference so
    far, the score of a less that of b, and its interval; all run from -1 to 1.
    """

    a: int
    b: int
    decision: Decision
    means: Sequence[float]
    intervals: Sequence[Interval]

    @property
    def histories(self) -> int:
        """How many histories of each source count."""
        return len(self.means)

    def as_dict(self) -> dict[str, Json]:
        """Return what is known now, in points."""
        low, high = (self.intervals[-1] if self.intervals else Interval(-1.0, 1.0)).percent
        return {
            "decision": str(self.decision),
            "difference": 100 * self.means[-1] if self.means else None,
            "low": low,
            "high": high,
            "histories": self.histories,
        }


@dataclass(frozen=True, slots=True)
class Race:
    """A race as its folder has it.

    Attributes:
        folder: the folder.
        plan: what was planned.
        agents: their names, in the order of the plan.
        scores: of each agent its mean scores of the histories that it was told, from 0 to 1.
        left: the places of those who were not beaten.
        pairs: every pair of agents.
    """

    folder: Path
    plan: RacePlan
    agents: Sequence[str]
    scores: Sequence[Floats]
    left: Sequence[int]
    pairs: Sequence[RacePair]

    @property
    def histories(self) -> int:
        """How many histories of each source all of those who are left were told."""
        return min(len(self.scores[place]) for place in self.left)

    @property
    def open_pairs(self) -> list[RacePair]:
        """The pairs of those who are left that are not decided."""
        undecided = (pair for pair in self.pairs if pair.decision == Decision.UNDECIDED)
        return [pair for pair in undecided if {pair.a, pair.b} <= {*self.left}]

    @property
    def runs(self) -> list[Run]:
        """The first build of each agent that was begun."""
        places = (
            repeat_folders(self.folder / n, self.plan.builds) for n in self.plan.runs.values()
        )
        return [Run(first) for first, *_ in places if RunFolder(first).exists()]

    @property
    def conclusion(self) -> str:
        """What was shown, in a sentence."""
        names = [self.agents[place] for place in self.left]
        after = f"after {self.histories} histor{'y' if self.histories == 1 else 'ies'}."
        if len(names) == 1:
            return f"{names[0]} is better{' than all others' * (len(self.agents) > 2)} {after}"
        listed = f"{', '.join(names[:-1])} and {names[-1]}"
        if self.open_pairs:
            return f"{listed} are not told apart {after}"
        return f"{listed} are equal within {self.plan.margin:g} points {after}"

    def as_dict(self) -> dict[str, Json]:
        """Return the result: of two agents what was decided, of more who is left and each pair."""
        facts: dict[str, Json] = {"seed": self.plan.seed, "plan": self.plan.hash}
        if len(self.pairs) == 1:
            return {**self.pairs[0].as_dict(), **facts}
        pairs: list[Json] = [
            {"a": self.agents[pair.a], "b": self.agents[pair.b], **pair.as_dict()}
            for pair in self.pairs
        ]
        left: list[Json] = [self.agents[place] for place in self.left]
        return {"left": left, "pairs": pairs, "histories": self.histories, **facts}


def open_race(folder: Path) -> Race | None:
    """Return how the race in a folder stands; None without one; raises ``DataError``."""
    if (file := read_race(folder)) is None:
        return None
    plan = file.plan
    scores = _score_histories([_builds(folder / name, plan) for name in plan.runs.values()], plan)
    return Race(folder, plan, [*plan.runs], scores, *settle(scores, plan.margin, plan.alpha))


def settle(
    scores: Sequence[Floats], margin: float | None, alpha: float
) -> tuple[list[int], list[RacePair]]:
    """Return the places of those who are left, and what the first history to decide a pair decided.

    Each pair has its share of ``alpha`` (Bonferroni): all intervals of all pairs hold together at
    all moments, so that it does not matter who drops out when.

    Args:
        scores: of each agent its mean scores of histories, from 0 to 1.
        margin: in points; None where nobody is called equal.
        alpha: the error of the family.
    """
    couples = [*combinations(range(len(scores)), 2)]
    left, last = {*range(len(scores))}, dict.fromkeys(couples, 0)
    decided = dict.fromkeys(couples, Decision.UNDECIDED)
    apart = {}
    for a, b in couples:
        told = min(len(scores[a]), len(scores[b]))
        apart[a, b] = scores[a][:told] - scores[b][:told]
    sequences = {
        couple: confidence_sequence(of, alpha / len(couples)) for couple, of in apart.items()
    }
    for n in range(1, max(map(len, scores)) + 1):
        for couple, sequence in sequences.items():
            undecided = decided[couple] == Decision.UNDECIDED and left.issuperset(couple)
            if undecided and n <= len(sequence):
                last[couple] = n
                decided[couple] = _decide(sequence[n - 1], margin)
        left -= {b for (_, b), decision in decided.items() if decision == Decision.A}
        left -= {a for (a, _), decision in decided.items() if decision == Decision.B}
    pairs = []
    for couple, n in last.items():
        means = (apart[couple].cumsum() / np.arange(1, len(apart[couple]) + 1)).tolist()
        pairs.append(RacePair(*couple, decided[couple], means[:n], sequences[couple][:n]))
    return sorted(left), pairs


def _decide(interval: Interval, margin: float | None) -> Decision:
    low, high = interval.percent
    if low >= 0 or high <= 0:
        return Decision.A if low >= 0 else Decision.B
    within = margin is not None and -margin <= low and high <= margin
    return Decision.EQUAL if within else Decision.UNDECIDED


def _builds(folder: Path, plan: RacePlan) -> list[_Build]:
    builds = list[_Build]()
    for place in repeat_folders(folder, plan.builds):
        rows = defaultdict[tuple[str, int], list[float]](list)
        if RunFolder(place).exists():
            (scores,) = open_entry(place, "official", unfinished=True).builds
            for source in plan.sources:
                for (_, row, _), score in scores.get(source, {}).items():
                    rows[source, row].append(score)
        builds.append(rows)
    return builds


def _score_histories(agents: Sequence[Sequence[_Build]], plan: RacePlan) -> list[Floats]:
    """Return of each agent the mean score of each round, over builds and sources, in order.

    One agent is told of a row after the other, so that a row is whole where all builds of an agent
    have as many answers as any build has.
    """
    asked = Counter[tuple[str, int]]()
    for build in (build for builds in agents for build in builds):
        asked |= Counter({row: len(scores) for row, scores in build.items()})
    order = plan.order or {
        source: tuple(sorted(row for name, row in asked if name == source))
        for source in plan.sources
    }
    rounds = [*zip(*([(name, row) for row in order[name]] for name in plan.sources), strict=False)]

    def is_whole(builds: Sequence[_Build], rows: Sequence[tuple[str, int]]) -> bool:
        return all(0 < asked[row] == len(build.get(row, ())) for build in builds for row in rows)

    return [
        np.array(
            [
                fmean(fmean(build[row]) for build in builds for row in rows)
                for rows in takewhile(lambda rows: is_whole(builds, rows), rounds)  # noqa: B023
            ]
        )
        for builds in agents
    ]
