"""What all readers of a user's file share: the rows to make, and the faults of the file."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from random import Random
from typing import NamedTuple, TypeVar

from mabench.errors import DataError
from mabench_synthetic.generator import random_stream

T = TypeVar("T")
_MOST_SHOWN = 50


class MaterialSpec(NamedTuple):
    """Which rows to make of a file.

    Attributes:
        source: the source whose form the row takes, or a family for the source to be chosen.
        seed: decides order, labels and which questions are asked.
        tokens: the length of the context; all of the material when None.
        questions: how many questions at most.
    """

    source: str
    seed: int
    tokens: int | None
    questions: int

    def random_stream(self) -> Random:
        """Return the random number generator for the row."""
        return random_stream(self.seed, "material", self.source)


class Faults:
    """Collects everything that is wrong with a file, so that it is reported at once."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._faults: list[str] = []

    def add(self, place: str, wrong: str, remedy: str) -> None:
        """Note that something at a place is wrong, and the remedy."""
        self._faults.append(f"{self._path}: {place}: {wrong}; {remedy}")

    def raise_if_any(self) -> None:
        """Raise an error if anything is wrong.

        Raises:
            DataError: with a line for each fault.
        """
        if self._faults:
            lines = self._faults[:_MOST_SHOWN]
            more = len(self._faults) - len(lines)
            if more > 0:
                lines.append(f"and {more} more")
            raise DataError("\n".join(lines))


def fitting(items: Iterable[T], tokens: int | None, cost: Callable[[T], int]) -> list[T]:
    """Return the first items that fit into a length, at least one; all if the length is None."""
    if tokens is None:
        return list(items)
    chosen: list[T] = []
    left = tokens
    for item in items:
        left -= cost(item)
        if left < 0 and chosen:
            break
        chosen.append(item)
    return chosen
