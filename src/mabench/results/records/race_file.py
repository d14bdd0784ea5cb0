"""The files of a race, in which agents get the same histories until one is shown to be better.

They say what was planned before the first history, and how the race came out. A plan that was
changed after the race began is refused, since the intervals hold for that plan alone. Nothing in
the file leads out of its folder.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Self

from mabench.errors import DataError
from mabench.json_text import IfKnown, JsonRecord
from mabench.results.records.files import OwnFile

# Which of two agents is better, ``a`` or ``b``; or ``equal`` within the margin, or ``undecided``.
Decision = Literal["a", "b", "equal", "undecided"]

_RACE = "race.json"
_LONGEST_SHOWN = 100  # Characters of a name in an error.


@dataclass(frozen=True, slots=True, kw_only=True)
class RacePlan(JsonRecord):
    """What a race asks, and what ends it."""

    runs: Mapping[str, str]  # The folder of each agent by its name.
    data: str  # The name of the data set.
    fingerprint: str  # Of the data; for endless data, of its generator.
    sources: tuple[str, ...]  # Their names.
    # The order of each source's rows, if the seed shuffles them.
    order: IfKnown[Mapping[str, tuple[int, ...]] | None] = None
    seed: int  # The seed of the order, or of made-up rows.
    builds: int  # How many times each history's memory is built.
    equal_within: float | None  # Agents shown to differ by less, in points, are equal; null: none.
    alpha: float = 0.05  # The probability that any interval of any pair fails.
    # Whether signs decide, too, as if differences between equal agents were symmetric.
    assume_symmetric: bool = False
    # The method of the intervals.
    interval: str = "bets on bounded differences, 2"

    @property
    def hash(self) -> str:
        """The SHA-256, in hex, of the plan as JSON; it is shown with the result."""
        return hashlib.sha256(self.to_json().encode()).hexdigest()

    def write(self, folder: Path, state: str) -> None:
        """Write the file of a race with this plan and a state, in one step.

        Raises ``DataError`` if it cannot be written.
        """
        file = RaceFile(plan=self, hash=self.hash, state=state)
        OwnFile(folder / _RACE).write_text(file.to_json(2))


@dataclass(frozen=True, slots=True, kw_only=True)
class RaceFile(JsonRecord):
    """What a race asks, written before the first history, and the state of it."""

    schema: int = 1  # The version of this format.
    plan: RacePlan  # What was planned.
    hash: str  # The sha256 of the plan as JSON.
    state: str  # The state of the race, in words.

    @classmethod
    def read(cls, folder: Path) -> Self | None:
        """Return the file of a race in a folder; None if there is none.

        Raises ``DataError`` if the plan was changed since, or names a run in another folder.
        """
        file = OwnFile(folder / _RACE)
        if not file.is_there():
            return None
        race = file.read_record(cls)
        if race.plan.hash != race.hash:
            raise DataError(f"{file.path}: this is not the plan that was begun with")
        for name in race.plan.runs.values():
            if not _is_name(name):
                found = f"{name[:_LONGEST_SHOWN]!r}; expected the name of a folder beside it"
                raise DataError(f"{file.path}: plan.runs: found {found}")
        return race


def _is_name(name: str) -> bool:
    """Return whether a name is that of something in a folder, and leads nowhere else."""
    has_separator = any(sign in name for sign in ("/", "\\", "\0", ":"))
    return name not in ("", ".", "..") and not has_separator


@dataclass(frozen=True, slots=True, kw_only=True)
class RacePair(JsonRecord):
    """Two agents, up to the history that decided or the last that both have seen."""

    # Their names.
    a: str
    b: str
    # Which is better, ``a`` or ``b``; or ``equal`` within the margin, or ``undecided``.
    decision: Decision = "undecided"
    # The mean of a minus the mean of b, in points; None before the first history.
    difference: float | None = None
    # Its interval.
    low: float = -100.0
    high: float = 100.0
    histories: int = 0  # How many of each source.

    @property
    def interval(self) -> str:
        """The interval in words, such as ``-1.0 to +2.5``."""
        return f"{self.low:+.1f} to {self.high:+.1f}"

    @property
    def is_by_signs(self) -> bool:
        """Whether signs alone decided: who is better more often, and not by how much on average.

        The interval reaches 0 then.
        """
        return 0.0 in (self.low, self.high) and self.decision in ("a", "b")

    @property
    def beaten(self) -> str | None:
        """The name of the agent that is worse; None while that is not shown."""
        if self.decision == "a":
            return self.b
        if self.decision == "b":
            return self.a
        return None


@dataclass(frozen=True, slots=True, kw_only=True)
class RaceResult(JsonRecord):
    """The result of a race; with more than two agents, the fields of a single pair are None."""

    # Of two agents, as of their pair.
    decision: Decision | None
    difference: float | None
    low: float | None
    high: float | None
    histories: int  # How many of each source all remaining agents have seen.
    seed: int  # The seed of the plan.
    plan: str  # The hash of the plan.
    left: Sequence[str]  # The agents that were not beaten, or that beat each other in a circle.
    pairs: Sequence[RacePair]  # Each pair of agents.
