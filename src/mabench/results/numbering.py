"""The numbers of runs, which stay as they are when other runs are made or deleted.

A number is given once and never again: the file beside the runs has every number that was given.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from mabench.errors import DataError
from mabench.json_text import JsonRecord
from mabench.results.records.files import OwnFile

_FILE = ".numbers.json"
_LARGEST = 10**9


@dataclass(frozen=True, slots=True, kw_only=True)
class _Numbers(JsonRecord):
    """The numbers of folders that were listed, by name within the folder of all runs."""

    schema: int = 1
    numbers: Mapping[str, int]


def number_folders(place: Path, names: Iterable[str]) -> dict[str, int]:
    """Return the number of each folder in ``place``; new ones get the next, in the order given.

    Numbers that cannot be kept, since nothing may be written there, hold for this call alone.
    """
    file = OwnFile(place / _FILE)
    kept = _read(file)
    given = dict(kept)
    for name in names:
        if name not in given:
            given[name] = max(given.values(), default=0) + 1
    if given != kept:
        with suppress(DataError, UnicodeError):
            file.write_text(_Numbers(numbers=given).to_json(1))
    return given


def _read(file: OwnFile) -> dict[str, int]:
    """Return the numbers that were given; none of a file that cannot be read or was spoiled."""
    with suppress(DataError):
        if file.is_there():
            numbers = file.read_record(_Numbers).numbers
            unique = len({*numbers.values()}) == len(numbers)
            if unique and all(0 < number <= _LARGEST for number in numbers.values()):
                return dict(numbers)
    return {}
