"""How a race stands: what decides it, taken from its run folders alone.

Whatever stopped a race, the same answers give the same decision after the same history: nothing of
it is remembered that is not in the runs.
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
from mabench.results import RacePlan, RunFolder, read_race
from mabench.runs.folder import repeat_folders
from mabench.uncertainty import Floats, Interval
from mabench.uncertainty.sequence import confidence_sequence


class Decision(StrEnum):
    """What a race has shown of two agents."""

    A = "a"
    B = "b"
    EQUAL = "equal"
    UNDECIDED = "undecided"


@dataclass(frozen=True, slots=True)
class RacePair:
    """Two agents of a race, up to the history that decided, or the last that both were told."""

    a: int  # Their places in the plan.
    b: int
    decision: Decision
    differences: Floats  # Of each history, the score of a less that of b, from -1 to 1.
    intervals: Sequence[Interval]  # Of the mean difference, after each history.

    @property
    def histories(self) -> int:
        """How many histories of each source count."""
        return len(self.intervals)

    @property
    def difference(self) -> float | None:
        """The mean difference in points; None before the first history."""
        return 100 * float(self.differences.mean()) if self.histories else None

    @property
    def means(self) -> list[float]:
        """The mean difference after each history, from -1 to 1."""
        return [float(self.differences[:n].mean()) for n in range(1, self.histories + 1)]

    def as_dict(self) -> dict[str, Json]:
        """Return the decision as JSON has it; differences are in points."""
        low, high = self.intervals[-1].percent if self.histories else (-100.0, 100.0)
        return {
            "decision": str(self.decision),
            "difference": self.difference,
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
        titles: what sources of made-up rows are called.
    """

    folder: Path
    plan: RacePlan
    agents: Sequence[str]
    scores: Sequence[Floats]
    left: Sequence[int]
    pairs: Sequence[RacePair]
    titles: Mapping[str, str]

    @property
    def told(self) -> list[int]:
        """How many histories of each source count of each agent."""
        return [len(own) for own in self.scores]

    def name(self, pair: RacePair) -> str:
        """Return a pair as what its difference is of."""
        return f"{self.agents[pair.a]} - {self.agents[pair.b]}"

    def score(self, place: int) -> float | None:
        """Return the mean score of an agent, from 0 to 100; None before the first history."""
        return 100 * float(self.scores[place].mean()) if self.told[place] else None

    @property
    def histories(self) -> int:
        """How many histories of each source those were told of who are left."""
        return min(self.told[place] for place in self.left)

    @property
    def is_decided(self) -> bool:
        """Whether nothing is open between those who are left."""
        open_pairs = (pair for pair in self.pairs if pair.decision == Decision.UNDECIDED)
        return not any({pair.a, pair.b} <= {*self.left} for pair in open_pairs)

    @property
    def conclusion(self) -> str:
        """What the race has shown, in a sentence without its end."""
        names = [self.agents[place] for place in self.left]
        after = f"after {self.histories} histor{'y' if self.histories == 1 else 'ies'}"
        if len(names) == 1:
            return f"{names[0]} is better{' than all others' * (len(self.agents) > 2)} {after}"
        listed = f"{', '.join(names[:-1])} and {names[-1]}"
        if self.is_decided:
            return f"{listed} are equal within {self.plan.margin:g} points {after}"
        return f"{listed} are not told apart {after}"

    def as_dict(self) -> dict[str, Json]:
        """Return the result: of two agents their decision, of more what is left and every pair."""
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
    """Return how the race in a folder stands; None where there is no race.

    Raises:
        DataError: when the file of the race or a run cannot be read.
    """
    file = read_race(folder)
    if file is None:
        return None
    plan = file.plan
    scores = _score_histories([_builds(folder / name, plan) for name in plan.runs.values()], plan)
    left, pairs = settle(scores, plan.margin, plan.alpha)
    runs = (RunFolder(place) for place in race_runs(folder, plan))
    titles = next((run.record().data.titles or {} for run in runs if run.exists()), {})
    return Race(folder, plan, [*plan.runs], scores, left, pairs, titles)


def race_runs(folder: Path, plan: RacePlan) -> list[Path]:
    """Return the folder of the first build of each agent."""
    return [repeat_folders(folder / name, plan.builds)[0] for name in plan.runs.values()]


def settle(
    scores: Sequence[Floats], margin: float | None, alpha: float
) -> tuple[list[int], list[RacePair]]:
    """Return who is left, and what is decided of each pair, at the first history that decides.

    Each pair has its share of ``alpha`` (Bonferroni), so that with a probability of 1 - alpha all
    intervals of all pairs hold at all moments; whoever is beaten then is worse in truth, and who
    drops out when, or which pair is looked at, cannot matter.

    Args:
        scores: of each agent its mean score of each history, from 0 to 1.
        margin: in points.
        alpha: the error of the family.
    """
    couples = [*combinations(range(len(scores)), 2)]
    apart, sequences, decided = {}, {}, dict[tuple[int, int], tuple[Decision, int]]()
    for a, b in couples:
        both = min(len(scores[a]), len(scores[b]))
        apart[a, b] = scores[a][:both] - scores[b][:both]
        sequences[a, b] = confidence_sequence(apart[a, b], alpha / len(couples))
    left, last = set(range(len(scores))), dict.fromkeys(couples, 0)
    for n in range(1, max(map(len, scores)) + 1):
        running = [c for c in couples if c not in decided and left.issuperset(c)]
        for couple in running:
            if n <= len(sequences[couple]):
                last[couple] = n
                decision = _decide(sequences[couple][n - 1], margin)
                if decision != Decision.UNDECIDED:
                    decided[couple] = decision, n
        for (a, b), (decision, _) in decided.items():
            left -= {Decision.A: {b}, Decision.B: {a}}.get(decision, set())
    pairs = [
        RacePair(
            *couple,
            decided.get(couple, (Decision.UNDECIDED, 0))[0],
            apart[couple][: last[couple]],
            sequences[couple][: last[couple]],
        )
        for couple in couples
    ]
    return sorted(left), pairs


# The scores of the questions of one build by row, which is named by source and number.
_Build = Mapping[tuple[str, int], Sequence[float]]


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

    Agents are told of a row one after the other, so that one counts as whole where all builds of
    an agent have as many answers as any build has.
    """
    asked = Counter[tuple[str, int]]()
    for build in (build for builds in agents for build in builds):
        asked |= Counter({row: len(scores) for row, scores in build.items()})
    seen = {source: sorted(row for name, row in asked if name == source) for source in plan.sources}
    order = plan.order or seen

    def score(builds: Sequence[_Build], rows: Sequence[tuple[str, int]]) -> float | None:
        whole = all(0 < asked[row] == len(build.get(row, ())) for build in builds for row in rows)
        return fmean(fmean(build[row]) for build in builds for row in rows) if whole else None

    of_sources = ([(source, row) for row in order[source]] for source in plan.sources)
    rounds = [*zip(*of_sources, strict=False)]
    means = []
    for builds in agents:
        scores = (score(builds, rows) for rows in rounds)
        means.append(np.array([*takewhile(lambda mean: mean is not None, scores)], dtype=float))
    return means


def _decide(interval: Interval, margin: float | None) -> Decision:
    low, high = interval.percent
    if low > 0:
        return Decision.A
    if high < 0:
        return Decision.B
    within = margin is not None and -margin <= low and high <= margin
    return Decision.EQUAL if within else Decision.UNDECIDED
