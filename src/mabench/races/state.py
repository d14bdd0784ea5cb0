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
        """The result in a sentence: who is left, and what that shows."""
        *others, last = self.left
        after = f"after {write_count(self.histories, 'history')}."
        if not others:
            than = " than all others" if len(self.scores) > 2 else ""
            if self.plan.assume_symmetric:
                return (
                    f"{last} is more often better{than} {after} Assumed: differences between equal "
                    "agents are symmetric, so that neither fails whole histories now and then."
                )
            return f"{last} is better{than} {after}"
        if any(pair.beaten for pair in self.pairs_left):
            shown = "beat each other in a circle, so that none is best,"
        elif self.is_decided:
            shown = f"are equal within {write_points(self.plan.equal_within or 0)}"
        else:
            shown = "cannot be told apart"
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
        # Of three or more agents, each pair has a difference of its own.
        only_pair = self.pairs[0] if len(self.pairs) == 1 else None
        return RaceResult(
            decision=only_pair.decision if only_pair else None,
            difference=only_pair.difference if only_pair else None,
            low=only_pair.low if only_pair else None,
            high=only_pair.high if only_pair else None,
            histories=only_pair.histories if only_pair else self.histories,
            seed=self.plan.seed,
            plan=self.plan.hash,
            left=self.left,
            pairs=self.pairs,
        )


def open_race(folder: Path) -> Race | None:
    """Return the race in a folder, or None if it holds none; raises ``DataError``."""
    file = RaceFile.read(folder)
    if file is None:
        return None
    plan = file.plan
    scores = score_histories(folder, plan)
    left, seen = decide(scores, plan.equal_within, plan.alpha, symmetric=plan.assume_symmetric)
    return Race(
        folder=folder,
        plan=plan,
        scores=scores,
        left=left,
        pairs=[course[-1] for course in seen],
        seen=seen,
    )
