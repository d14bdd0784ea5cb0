"""The records of a race, and the file that holds its plan and how it stands."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from mabench.errors import DataError, reason
from mabench.json_text import IfKnown, JsonRecord, parse
from mabench.results.records.files import OwnFile
from mabench.userfile import read_bytes

_FILE = "race.json"
Decision = Literal["a", "b", "equal", "undecided"]


@dataclass(frozen=True, slots=True, kw_only=True)
class RacePlan(JsonRecord):
    """What a race asks, and what ends it.

    Attributes:
        runs: the folder of each agent by its name.
        data: the name of the data set.
        fingerprint: that of the data, of endless ones of how they are made.
        sources: their names.
        order: the rows of each source as they come, where they are shuffled by the seed.
        seed: of the order, or of made-up rows.
        builds: how many memories are built of each history.
        margin: agents are equal that differ by less, in points; without one nobody is.
        alpha: how often any interval of any pair may fail.
        interval: the method of the intervals.
    """

    runs: Mapping[str, str]
    data: str
    fingerprint: str
    sources: tuple[str, ...]
    order: IfKnown[Mapping[str, tuple[int, ...]] | None] = None
    seed: int
    builds: int
    margin: float | None
    alpha: float = 0.05
    interval: str = "bets on bounded differences and on their signs, 1"

    @property
    def hash(self) -> str:
        """The sha256, in hex, of the plan as JSON; it is shown with the result."""
        return hashlib.sha256(self.to_json().encode()).hexdigest()


@dataclass(frozen=True, slots=True, kw_only=True)
class RaceFile(JsonRecord):
    """What a race asks, written before the first history, and how it stands.

    Attributes:
        schema: the version of this format.
        plan: what was planned.
        hash: the sha256 of the plan as JSON.
        state: how the race stands, in words.
    """

    schema: int = 1
    plan: RacePlan
    hash: str
    state: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RacePair(JsonRecord):
    """Two agents, up to the history that decided or the last that both were told.

    Attributes:
        a, b: their names.
        decision: who is better, ``a`` or ``b``; or ``equal`` within the margin, or ``undecided``.
        difference: the mean of a less that of b, in points; None before the first history.
        low, high: its interval.
        histories: how many there were of each source.
    """

    a: str
    b: str
    decision: Decision = "undecided"
    difference: float | None = None
    low: float = -100.0
    high: float = 100.0
    histories: int = 0

    @property
    def beaten(self) -> str | None:
        """Who is worse; None while that is not shown."""
        return {"a": self.b, "b": self.a}.get(self.decision)


@dataclass(frozen=True, slots=True, kw_only=True)
class RaceResult(JsonRecord):
    """The result of a race; of more than two agents, what stands for one pair alone is None.

    Attributes:
        decision, difference, low, high: of two agents, as of their pair.
        histories: how many of each source all who are left were told.
        seed: that of the plan.
        plan: the hash of the plan.
        left: who was not beaten.
        pairs: each pair of agents.
    """

    decision: Decision | None
    difference: float | None
    low: float | None
    high: float | None
    histories: int
    seed: int
    plan: str
    left: Sequence[str]
    pairs: Sequence[RacePair]


def write_race(folder: Path, plan: RacePlan, state: str) -> None:
    """Write the file of a race in one step; raises ``DataError``."""
    content = RaceFile(plan=plan, hash=plan.hash, state=state).to_json(2)
    OwnFile(folder / _FILE).write([f"{content}\n".encode()])


def read_race(folder: Path) -> RaceFile | None:
    """Return the file of a race; None without one; a DataError where the plan was changed."""
    if not OwnFile(folder / _FILE).is_there():
        return None
    try:
        file = parse(RaceFile, read_bytes(folder / _FILE))
    except (OSError, ValueError) as error:
        raise DataError(f"{folder / _FILE}: not readable: {reason(error)}") from error
    if file.plan.hash != file.hash:
        raise DataError(f"{folder / _FILE}: this is not the plan that was begun with")
    return file
