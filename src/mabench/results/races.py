"""The file of a race: its plan, written before the first history, and how it stands."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from mabench.errors import DataError, reason
from mabench.json_text import IfKnown, JsonRecord, parse
from mabench.results.records.files import OwnFile
from mabench.userfile import read_bytes

_FILE = "race.json"


@dataclass(frozen=True, slots=True, kw_only=True)
class RacePlan(JsonRecord):
    """What a race asks, and what ends it.

    ``runs`` has the folder of each agent by its name; ``fingerprint`` is that of the data, of
    endless ones of how they are made. ``order`` has the rows of each source as they come, where
    they are shuffled by ``seed``. Agents are equal that differ by less than ``margin`` points.
    ``alpha`` is how often any interval of any pair may fail, and ``interval`` the method.
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
    """The content of ``race.json``: a plan with its hash, and how the race stands, in words."""

    schema: int = 1
    plan: RacePlan
    hash: str
    state: str


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
