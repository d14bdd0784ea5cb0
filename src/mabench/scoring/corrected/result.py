"""What a corrected rule returns."""

from __future__ import annotations

from typing import NamedTuple


class Corrected(NamedTuple):
    """A corrected score and the short, stable name of the rule that decided it.

    Attributes:
        value: from 0 to 1.
        rule: one of the names listed in ``docs/scoring.md``.
    """

    value: float
    rule: str
