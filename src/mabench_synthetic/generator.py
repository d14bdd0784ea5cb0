"""What a generator is: for each family one object that makes a row of what its spec asks for."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from random import Random
from typing import NamedTuple

from mabench.data.inventory import Source
from mabench.data.schema import RowContent
from mabench.errors import UsageError
from mabench.suggestions import unknown


class Knob(NamedTuple):
    """A setting of a family that makes its rows harder or easier.

    ``lowest`` and ``highest`` are the ends of its range, both allowed; a knob whose ``default``
    is a whole number takes whole numbers only.
    """

    name: str
    default: int | float
    lowest: int | float
    highest: int | float
    about: str


class RowSpec(NamedTuple):
    """One row to be made; a row depends on nothing but its spec.

    ``row`` numbers the rows of a source from 0; ``tokens`` is the length that the context
    should have in o200k_base tokens; ``knobs`` holds a value for every knob of the family, and
    ``difficulty`` names what those come from that were not chosen one by one.
    """

    source: str
    seed: int
    row: int
    tokens: int
    questions: int
    knobs: Mapping[str, int | float]
    difficulty: str = "real"


def _even_share(source: Source, row: int) -> int:
    return source.questions // source.rows


@dataclass(frozen=True, kw_only=True)
class Generator:
    """How the rows of one family are made.

    Attributes:
        family: the family's name in the inventory.
        make_row: makes the content of a row; raises UsageError when the row is too short for its
            questions, or cannot have so many.
        knobs: the family's knobs.
        public_questions: how many questions a row of a source has in the public data set, by
            the number of the row.
        entities: the entities that the golds of a row refer to, name to id; None for a family
            whose golds refer to none.
    """

    family: str
    make_row: Callable[[RowSpec], RowContent]
    knobs: tuple[Knob, ...] = ()
    public_questions: Callable[[Source, int], int] = _even_share
    entities: Callable[[RowSpec], dict[str, int]] | None = None

    def knob_values(self, chosen: Mapping[str, int | float]) -> dict[str, int | float]:
        """Return the value of every knob: the chosen one, else its default.

        Raises:
            UsageError: when there is no such knob, or its value is out of range.
        """
        by_name = {knob.name: knob for knob in self.knobs}
        for name, value in chosen.items():
            if name not in by_name:
                raise UsageError(unknown("no such knob:", name, by_name))
            _check(by_name[name], value)
        return {knob.name: chosen.get(knob.name, knob.default) for knob in self.knobs}


def _check(knob: Knob, value: int | float) -> None:
    whole = isinstance(knob.default, int)
    if whole and value != int(value):
        raise UsageError(f"{knob.name}={value}: takes whole numbers")
    if not knob.lowest <= value <= knob.highest:
        raise UsageError(f"{knob.name}={value}: must lie between {knob.lowest} and {knob.highest}")


def random_stream(seed: int, *path: str | int) -> Random:
    """Return the generator of random numbers that belongs to ``path`` (a family, a row).

    Streams of different paths are independent, so a change to one family alters no other. A
    string seeds Python's generator through SHA-512, which does not depend on PYTHONHASHSEED.
    """
    return Random("/".join(map(str, (seed, *path))))  # noqa: S311 - nothing here is secret
