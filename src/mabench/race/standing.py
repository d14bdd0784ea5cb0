"""How a race stands, which its run folders alone decide: nothing else is remembered.

So a race that was stopped decides as one that was not, after the same history.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, takewhile
from pathlib import Path
from statistics import fmean
from typing import Literal

import numpy as np

from mabench.comparison.entries import open_entry
from mabench.json_text import Json
from mabench.results import RacePlan, Run, RunFolder, read_race
from mabench.runs.folder import repeat_folders
from mabench.uncertainty import Floats
from mabench.uncertainty.sequence import confidence_sequence

# The scores of the questions of one build by row, which source and number name.
_Build = Mapping[tuple[str, int], Sequence[float]]


Decision = Literal["a", "b", "equal", "undecided"]


@dataclass(frozen=True, slots=True)
class RacePair:
    """Two agents, by their places, up to the history that decided or the last that both were told.

    After each stands the mean difference so far, ``a`` less ``b``, and its interval, in points.
    """

    a: int
    b: int
    decision: Decision
    means: Sequence[float]
    intervals: Sequence[tuple[float, float]]

    @property
    def limits(self) -> tuple[float, float]:
        """The interval that counts."""
        return self.intervals[-1] if self.intervals else (-100.0, 100.0)

    def as_dict(self) -> dict[str, Json]:
        """Return what is known now."""
        return {
            "decision": self.decision,
            "difference": self.means[-1] if self.means else None,
            "low": self.limits[0],
            "high": self.limits[1],
            "histories": len(self.means),
        }


@dataclass(frozen=True, slots=True)
class Race:
    """A race as its folder has it."""

    folder: Path
    plan: RacePlan
    agents: Sequence[str]  # In the order of the plan.
    scores: Sequence[Floats]  # Of each agent those of the histories it was told, from 0 to 1.
    left: Sequence[int]  # The places of those who were not beaten.
    pairs: Sequence[RacePair]
    limit: str = ""  # Why the race was given up.

    @property
    def histories(self) -> int:
        """How many histories of each source all of those who are left were told."""
        return min(len(self.scores[place]) for place in self.left)

    @property
    def pairs_left(self) -> list[RacePair]:
        """The pairs of those who are left."""
        return [pair for pair in self.pairs if {pair.a, pair.b} <= {*self.left}]

    @property
    def is_decided(self) -> bool:
        """Whether nothing is open between those who are left."""
        return all(pair.decision != "undecided" for pair in self.pairs_left)

    @property
    def runs(self) -> list[Run]:
        """The first build of each agent that was begun."""
        names, builds = self.plan.runs.values(), self.plan.builds
        firsts = (repeat_folders(self.folder / name, builds)[0] for name in names)
        return [Run(first) for first in firsts if RunFolder(first).exists()]

    @property
    def conclusion(self) -> str:
        """What was shown, in a sentence."""
        names = [self.agents[place] for place in self.left]
        after = f"after {self.histories} histor{'y' if self.histories == 1 else 'ies'}."
        if len(names) == 1:
            return f"{names[0]} is better{' than all others' * (len(self.agents) > 2)} {after}"
        listed = f"{', '.join(names[:-1])} and {names[-1]}"
        if not self.is_decided:
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
    """Return the places of those who are left, and of each pair what the first history decided.

    Each pair has its share of ``alpha`` (Bonferroni): all intervals of all pairs hold together at
    all moments, so that it does not matter who drops out when. ``scores`` are those of histories,
    from 0 to 1, by agent; ``margin`` is in points, and without one nobody is equal.
    """
    couples = [*combinations(range(len(scores)), 2)]
    left, told = {*range(len(scores))}, dict.fromkeys(couples, 0)
    decided: dict[tuple[int, int], Decision] = dict.fromkeys(couples, "undecided")
    apart = {}
    for a, b in couples:
        both = min(len(scores[a]), len(scores[b]))
        apart[a, b] = scores[a][:both] - scores[b][:both]
    sequences = {
        couple: [each.percent for each in confidence_sequence(of, alpha / len(couples))]
        for couple, of in apart.items()
    }
    for n in range(max(map(len, scores))):
        for couple, sequence in sequences.items():
            still = left.issuperset(couple) and decided[couple] == "undecided"
            if still and n < len(sequence):
                told[couple], decided[couple] = n + 1, _decide(*sequence[n], margin)
        left -= {b for (_, b), decision in decided.items() if decision == "a"}
        left -= {a for (a, _), decision in decided.items() if decision == "b"}
    pairs = []
    for couple, n in told.items():
        means = (100 * apart[couple][:n].cumsum() / np.arange(1, n + 1)).tolist()
        pairs.append(RacePair(*couple, decided[couple], means, sequences[couple][:n]))
    return sorted(left), pairs


def _decide(low: float, high: float, margin: float | None) -> Decision:
    if low >= 0 or high <= 0:
        return "a" if low >= 0 else "b"
    within = margin is not None and -margin <= low and high <= margin
    return "equal" if within else "undecided"


def _builds(folder: Path, plan: RacePlan) -> list[_Build]:
    builds = list[_Build]()
    for place in repeat_folders(folder, plan.builds):
        rows = defaultdict[tuple[str, int], list[float]](list)
        if RunFolder(place).exists():
            (scores,) = open_entry(place, "official", unfinished=True).builds
            for source in plan.sources:
                for (_, row, _), answer in scores.get(source, {}).items():
                    rows[source, row].append(answer.score)
        builds.append(rows)
    return builds


def _score_histories(agents: Sequence[Sequence[_Build]], plan: RacePlan) -> list[Floats]:
    """Return of each agent the mean score of each round, over builds and sources, in order.

    Agents are told of a row one after the other, so that it is whole where all builds of an agent
    have as many answers as any build has.
    """
    asked = Counter[tuple[str, int]]()
    for build in (build for builds in agents for build in builds):
        asked |= Counter({row: len(scores) for row, scores in build.items()})
    seen = {name: sorted(row for source, row in asked if source == name) for name in plan.sources}
    order = plan.order or seen
    rounds = [*zip(*([(name, row) for row in order[name]] for name in plan.sources), strict=False)]

    def score(builds: Sequence[_Build], rows: Sequence[tuple[str, int]]) -> float | None:
        whole = all(0 < asked[row] == len(build.get(row, ())) for build in builds for row in rows)
        return fmean(fmean(build[row]) for build in builds for row in rows) if whole else None

    means = ((score(builds, rows) for rows in rounds) for builds in agents)
    return [np.array([*takewhile(lambda m: m is not None, own)], dtype=float) for own in means]
