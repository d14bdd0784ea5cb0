"""What is asked of a generator: a row of a source, its size, and how hard it is to be."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from mabench.errors import UsageError


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


class Order(NamedTuple):
    """One row to be made; a row depends on nothing but its order.

    ``row`` numbers the rows of a source from 0; ``tokens`` is the length that the context
    should have in o200k_base tokens; ``knobs`` holds a value for every knob of the family.
    """

    source: str
    seed: int
    row: int
    tokens: int
    questions: int
    knobs: Mapping[str, int | float]


def settled(knobs: tuple[Knob, ...], chosen: Mapping[str, int | float]) -> dict[str, int | float]:
    """Return the value of every knob: the chosen one, else its default.

    Raises:
        UsageError: when there is no such knob, or its value is out of range.
    """
    by_name = {knob.name: knob for knob in knobs}
    for name, value in chosen.items():
        if name not in by_name:
            raise UsageError(f"no knob {name!r} here; known: {', '.join(by_name) or 'none'}")
        _check(by_name[name], value)
    return {knob.name: chosen.get(knob.name, knob.default) for knob in knobs}


def _check(knob: Knob, value: int | float) -> None:
    whole = isinstance(knob.default, int)
    if whole and value != int(value):
        raise UsageError(f"{knob.name}={value}: takes whole numbers")
    if not knob.lowest <= value <= knob.highest:
        raise UsageError(f"{knob.name}={value}: must lie in {knob.lowest} to {knob.highest}")
