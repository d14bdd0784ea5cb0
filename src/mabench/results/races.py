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
    """What a race asks and what ends it; its ``hash`` is shown with the result.

    Attributes:
        schema: the version of the format.
        runs: the folder of each agent beside the file, by the agent's name, in their order.
        data: the data set.
        fingerprint: a hash of its rows; of made-up ones of how they are made, and of the first.
        sources: those whose mean counts.
        order: the rows of each source in the order in which they come; left out where they come as
            they are numbered.
        seed: the seed of made-up rows, or of that order.
        builds: how many memories are built of each history.
        margin: the difference in points below which agents are equal; null where none is.
        alpha: how often any interval of any pair may fail to hold the true difference.
        interval: the method.
    """

    schema: int = 1
    runs: Mapping[str, str]
    data: str
    fingerprint: str
    sources: tuple[str, ...]
    order: IfKnown[Mapping[str, tuple[int, ...]] | None] = None
    seed: int
    builds: int
    margin: float | None
    alpha: float = 0.05
    interval: str = "betting, diversified Kelly, one share of alpha for each pair"

    @property
    def hash(self) -> str:
        """The sha256, in hex, of the plan as JSON."""
        return hashlib.sha256(self.to_json().encode()).hexdigest()


@dataclass(frozen=True, slots=True, kw_only=True)
class RaceFile(JsonRecord):
    """The content of ``race.json``.

    Attributes:
        plan: what was planned.
        hash: that of the plan.
        histories: how many histories of each source have counted.
        state: how the race stands, in words.
    """

    plan: RacePlan
    hash: str
    histories: int = 0
    state: str = "not begun"


def write_race(folder: Path, file: RaceFile) -> None:
    """Write the file of a race in one step; raises ``DataError``."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise DataError(f"{folder}: the race cannot be written: {reason(error)}") from error
    OwnFile(folder / _FILE).write([f"{file.to_json(2)}\n".encode()])


def read_race(folder: Path) -> RaceFile | None:
    """Return what the file of a race in a folder holds; None where there is none.

    Raises:
        DataError: when it cannot be read, or its plan was changed.
    """
    if not OwnFile(folder / _FILE).is_there():
        return None
    try:
        file = parse(RaceFile, read_bytes(folder / _FILE))
    except (OSError, ValueError) as error:
        raise DataError(f"{folder / _FILE}: not readable: {reason(error)}") from error
    if file.plan.hash != file.hash:
        raise DataError(f"{folder / _FILE}: the plan is not the one that was begun with")
    return file
