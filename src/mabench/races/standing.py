"""How a race stands, which its run folders alone decide: nothing else is remembered.

So a race that was stopped decides as one that was not, after the same history.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from pathlib import Path
from statistics import fmean

import numpy as np

from mabench.comparison.entries import Entry
from mabench.results import RaceFile, RacePair, RacePlan, RaceResult, Run, RunFolder
from mabench.runs.folder import repeat_folders
from mabench.uncertainty import Floats
from mabench.uncertainty.paired import confidence_sequence


@dataclass(frozen=True, slots=True)
class Race:
    """A race as its folder has it."""

    folder: Path
    plan: RacePlan
    scores: Mapping[str, Floats]  # By agent, of the histories that it has seen, from 0 to 1.
    left: Sequence[str]  # The agents that were not beaten.
    pairs: Sequence[RacePair]
    limit: str = ""  # Which limit ended the race.

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
            return f"{listed} cannot be told apart {after}"
        return f"{listed} are equal within {self.plan.margin:g} points {after}"

    @property
    def standing(self) -> str:
        """The difference so far of the closest pair, in words."""
        if not self.pairs_left:
            return self.conclusion
        pair = min(self.pairs_left, key=lambda pair: abs(pair.difference or 0.0))
        limits = f"{pair.difference:+.1f} ({pair.measure.range('+.1f')})"
        return f"History {self.histories}: {pair.a} - {pair.b} {limits}"

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

    def looks(self, pair: RacePair) -> list[RacePair]:
        """Return how a pair stood after each history."""
        alpha = self.plan.alpha / len(self.pairs)
        looks = _look(self.scores, pair.a, pair.b, self.plan.margin, alpha)
        return looks[1 : pair.histories + 1]


def open_race(folder: Path) -> Race | None:
    """Return the race in a folder, or None if it holds none; raises ``DataError``."""
    if (file := RaceFile.read(folder)) is None:
        return None
    scores = _score_histories(folder, file.plan)
    return Race(folder, file.plan, scores, *_settle(scores, file.plan.margin, file.plan.alpha))


def _settle(
    scores: Mapping[str, Floats], margin: float | None, alpha: float
) -> tuple[list[str], list[RacePair]]:
    """Return who is left, and of each pair what the first history decided.

    Each pair has its share of ``alpha`` (Bonferroni): all intervals of all pairs hold together at
    all moments, so that it does not matter who drops out when. ``scores`` are those of histories,
    from 0 to 1, by agent; ``margin`` is in points, and without one nobody is equal.
    """
    couples, left = [*combinations(scores, 2)], [*scores]
    looks = [_look(scores, a, b, margin, alpha / len(couples)) for a, b in couples]
    pairs = [seen[0] for seen in looks]
    for n in range(1, max(map(len, looks))):
        pairs = [
            seen[n] if n < len(seen) and {p.a, p.b} <= {*left} and p.decision == "undecided" else p
            for p, seen in zip(pairs, looks, strict=True)
        ]
        left = [name for name in left if all(name != pair.beaten for pair in pairs)]
    return left, pairs


def _look(
    scores: Mapping[str, Floats], a: str, b: str, margin: float | None, alpha: float
) -> list[RacePair]:
    """Return how a pair stood at first, and after each history."""
    both = min(len(scores[a]), len(scores[b]))
    apart, looks = scores[a][:both] - scores[b][:both], [RacePair(a=a, b=b)]
    for n, interval in enumerate(confidence_sequence(apart, alpha), 1):
        low, high = interval.percent
        look = RacePair(
            a=a, b=b, difference=100 * float(apart[:n].mean()), low=low, high=high, histories=n
        )
        if low >= 0 or high <= 0:
            look = replace(look, decision="a" if low >= 0 else "b")
        elif margin is not None and -margin <= low and high <= margin:
            look = replace(look, decision="equal")
        looks.append(look)
    return looks


def _score_histories(folder: Path, plan: RacePlan) -> dict[str, Floats]:
    """Return by agent the mean score of each round, over builds and sources, in order.

    Agents are told of a row one after the other, so that it is whole where all builds of an agent
    have as many answers as any build has.
    """
    answers = defaultdict[tuple[str, int, str, int], list[float]](list)
    asked = defaultdict[tuple[str, int], int](int)
    for agent, name in plan.runs.items():
        for build, place in enumerate(repeat_folders(folder / name, plan.builds)):
            if RunFolder(place).exists():
                (by_source,) = Entry.open(place, "official", unfinished=True).builds
                for source in plan.sources:
                    for (_, row, _), answer in by_source.get(source, {}).items():
                        answers[agent, build, source, row].append(answer.score)
    for (_, _, source, row), scores in answers.items():
        asked[source, row] = max(asked[source, row], len(scores))
    seen = {name: sorted(row for source, row in asked if source == name) for name in plan.sources}
    order = plan.order or seen
    rounds = [*zip(*([(name, row) for row in order[name]] for name in plan.sources), strict=False)]

    def means(agent: str) -> Iterator[float]:
        for rows in rounds:
            parts = [
                (answers.get((agent, build, *row), []), asked.get(row))
                for build in range(plan.builds)
                for row in rows
            ]
            if any(len(scores) != most for scores, most in parts):
                return
            yield fmean(fmean(scores) for scores, _ in parts)

    return {agent: np.array([*means(agent)]) for agent in plan.runs}
