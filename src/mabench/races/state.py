"""The state of a race, read from its folder: scores, pairs, and the conclusion."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from mabench.printable import write_count, write_points
from mabench.races.decision import decide
from mabench.races.folder import run_folders
from mabench.races.scores import score_histories
from mabench.results import RaceFile, RacePair, RacePlan, RaceResult, Run, RunFolder
from mabench.uncertainty import Floats


@dataclass(frozen=True, slots=True)
class Race:
    """A race, read from its folder."""

    folder: Path
    plan: RacePlan
    scores: Mapping[str, Floats]  # By agent, of the histories that it has seen, from 0 to 1.
    left: Sequence[str]  # The agents that are not beaten, or that beat each other in a circle.
    pairs: Sequence[RacePair]  # As they are now.
    seen: Sequence[Sequence[RacePair]]  # Each pair before the first history, and after each.
    limit: str = ""  # Which limit ended the race.

    @property
    def histories(self) -> int:
        """How many histories of each source all agents that are left have seen."""
        return min(len(self.scores[name]) for name in self.left)

    @property
    def pairs_left(self) -> list[RacePair]:
        """The pairs of the agents that are left."""
        return [pair for pair in self.pairs if {pair.a, pair.b} <= {*self.left}]

    @property
    def is_decided(self) -> bool:
        """Whether every pair of those left is decided."""
        return all(pair.decision != "undecided" for pair in self.pairs_left)

    @property
    def runs(self) -> list[Run]:
        """The first build of each agent that has begun."""
        firsts = (builds[0] for builds in run_folders(self.folder, self.plan).values())
        return [Run(first) for first in firsts if RunFolder(first).exists()]

    @property
    def conclusion(self) -> str:
        """The result in a sentence."""
        *others, last = self.left
        after = f"after {write_count(self.histories, 'history')}."
        if not others:
            than = " than all others" * (len(self.scores) > 2)
            if self.plan.assume_symmetric:
                return (
                    f"{last} is more often better{than} {after} Assumed: differences between equal "
                    "agents are symmetric, so that neither fails whole histories now and then."
                )
            return f"{last} is better{than} {after}"
        shown = "cannot be told apart"
        if any(pair.beaten for pair in self.pairs_left):
            shown = "beat each other in a circle, so that none is best,"
        elif self.is_decided:
            shown = f"are equal within {write_points(self.plan.equal_within or 0)}"
        return f"{', '.join(others)} and {last} {shown} {after}"

    @property
    def standing(self) -> str:
        """The difference so far of the closest pair, in words."""
        if not self.pairs_left:
            return self.conclusion
        pair = min(self.pairs_left, key=lambda pair: abs(pair.difference or 0.0))
        apart = f"{pair.a} - {pair.b} {pair.difference:+.1f} ({pair.interval})"
        return f"History {self.histories}: {apart}"

    @property
    def result(self) -> RaceResult:
        """What the command prints as JSON."""
        plan, pairs = self.plan, self.pairs
        alone = pairs[0] if len(pairs) == 1 else None
        names = ("decision", "difference", "low", "high")
        own = {name: alone[name] if alone else None for name in names}
        n = alone.histories if alone else self.histories
        return RaceResult(
            **own, histories=n, seed=plan.seed, plan=plan.hash, left=self.left, pairs=pairs
        )


def open_race(folder: Path) -> Race | None:
    """Return the race in a folder, or None if it holds none; raises ``DataError``."""
    if (file := RaceFile.read(folder)) is None:
        return None
    plan, scores = file.plan, score_histories(folder, file.plan)
    left, seen = decide(scores, plan.equal_within, plan.alpha, symmetric=plan.assume_symmetric)
    return Race(folder, plan, scores, left, [own[-1] for own in seen], seen)
