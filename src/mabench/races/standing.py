"""How a race stands, which its run folders alone decide: nothing else is remembered.

So a race that was stopped decides as one that was not, after the same history.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import combinations, takewhile
from pathlib import Path
from statistics import fmean
from typing import NamedTuple

import numpy as np

from mabench.comparison.entries import open_entry
from mabench.results import Decision, RacePair, RacePlan, RaceResult, Run, RunFolder, read_race
from mabench.runs.folder import repeat_folders
from mabench.uncertainty import Floats
from mabench.uncertainty.sequence import confidence_sequence

# The scores of the questions of one build by row, which source and number name.
_Build = Mapping[tuple[str, int], Sequence[float]]


class Look(NamedTuple):
    """The mean difference of a pair up to some history, and its interval, in points."""

    difference: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Race:
    """A race as its folder has it."""

    folder: Path
    plan: RacePlan
    scores: Mapping[str, Floats]  # By agent those of the histories it was told, from 0 to 1.
    left: Sequence[str]  # Who was not beaten.
    pairs: Sequence[RacePair]
    limit: str = ""  # Why the race was given up.

    @property
    def histories(self) -> int:
        """How many histories of each source all of those who are left were told."""
        return min(len(self.scores[name]) for name in self.left)

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
        *others, last = self.left
        after = f"after {self.histories} histor{'y' if self.histories == 1 else 'ies'}."
        if not others:
            return f"{last} is better{' than all others' * (len(self.scores) > 2)} {after}"
        listed = f"{', '.join(others)} and {last}"
        if not self.is_decided:
            return f"{listed} are not told apart {after}"
        return f"{listed} are equal within {self.plan.margin:g} points {after}"

    @property
    def result(self) -> RaceResult:
        """What the command prints as JSON."""
        first, alone = self.pairs[0], len(self.pairs) == 1
        names = ("decision", "difference", "low", "high")
        return RaceResult(
            **{name: first[name] if alone else None for name in names},
            histories=first.histories if alone else self.histories,
            seed=self.plan.seed,
            plan=self.plan.hash,
            left=self.left,
            pairs=self.pairs,
        )

    def looks(self, pair: RacePair) -> list[Look]:
        """Return how a pair stood after each history."""
        looks = _look(self.scores, pair.a, pair.b, self.plan.alpha / len(self.pairs))
        return looks[: pair.histories]


def open_race(folder: Path) -> Race | None:
    """Return how the race in a folder stands; None without one; raises ``DataError``."""
    if (file := read_race(folder)) is None:
        return None
    plan = file.plan
    builds = {agent: _builds(folder / name, plan) for agent, name in plan.runs.items()}
    scores = _score_histories(builds, plan)
    return Race(folder, plan, scores, *settle(scores, plan.margin, plan.alpha))


def settle(
    scores: Mapping[str, Floats], margin: float | None, alpha: float
) -> tuple[list[str], list[RacePair]]:
    """Return who is left, and of each pair what the first history decided.

    Each pair has its share of ``alpha`` (Bonferroni): all intervals of all pairs hold together at
    all moments, so that it does not matter who drops out when. ``scores`` are those of histories,
    from 0 to 1, by agent; ``margin`` is in points, and without one nobody is equal.
    """
    couples = [*combinations(scores, 2)]
    looks = {couple: _look(scores, *couple, alpha / len(couples)) for couple in couples}
    pairs, left = {(a, b): RacePair(a=a, b=b) for a, b in couples}, [*scores]
    for n in range(max(map(len, looks.values()))):
        for (a, b), seen in looks.items():
            if n < len(seen) and {a, b} <= {*left} and pairs[a, b].decision == "undecided":
                decision = _decide(seen[n], margin)
                pairs[a, b] = RacePair(
                    a=a, b=b, decision=decision, histories=n + 1, **seen[n]._asdict()
                )
        beaten = {
            b if p.decision == "a" else a for (a, b), p in pairs.items() if p.decision in ("a", "b")
        }
        left = [name for name in left if name not in beaten]
    return left, [*pairs.values()]


def _look(scores: Mapping[str, Floats], a: str, b: str, alpha: float) -> list[Look]:
    both = min(len(scores[a]), len(scores[b]))
    apart = scores[a][:both] - scores[b][:both]
    means = (100 * apart.cumsum() / np.arange(1, both + 1)).tolist()
    sequence = confidence_sequence(apart, alpha)
    return [Look(mean, *each.percent) for mean, each in zip(means, sequence, strict=True)]


def _decide(look: Look, margin: float | None) -> Decision:
    if look.low >= 0 or look.high <= 0:
        return "a" if look.low >= 0 else "b"
    within = margin is not None and -margin <= look.low and look.high <= margin
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


def _score_histories(agents: Mapping[str, Sequence[_Build]], plan: RacePlan) -> dict[str, Floats]:
    """Return by agent the mean score of each round, over builds and sources, in order.

    Agents are told of a row one after the other, so that it is whole where all builds of an agent
    have as many answers as any build has.
    """
    asked = Counter[tuple[str, int]]()
    for build in (build for builds in agents.values() for build in builds):
        asked |= Counter({row: len(scores) for row, scores in build.items()})
    seen = {name: sorted(row for source, row in asked if source == name) for name in plan.sources}
    order = plan.order or seen
    rounds = [*zip(*([(name, row) for row in order[name]] for name in plan.sources), strict=False)]

    def is_whole(builds: Sequence[_Build], rows: Sequence[tuple[str, int]]) -> bool:
        return all(0 < asked[row] == len(build.get(row, ())) for build in builds for row in rows)

    return {
        agent: np.array(
            [
                fmean(fmean(build[row]) for build in builds for row in rows)
                for rows in takewhile(partial(is_whole, builds), rounds)
            ]
        )
        for agent, builds in agents.items()
    }
