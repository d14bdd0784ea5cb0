"""Sentences that set a scene or close one, and say nothing that a question could ask.

Their parts vary independently: there are about five thousand of each, so a long story rarely
repeats itself.
"""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from mabench_synthetic.language.wordings import table

_PARTS = table("story", "scenes")


def scene(rng: Random) -> str:
    """Return a sentence to open a scene with."""
    return "{} {}, and {}.".format(*_parts(rng, "when", "weather", "sight"))


def closing(rng: Random) -> str:
    """Return a sentence to close a scene with."""
    if rng.random() < 0.15:
        return "{}, {}.".format(*_parts(rng, "aside", "after"))
    return "{} {}, {}.".format(*_parts(rng, "who", "reaction", "after"))


def _parts(rng: Random, *names: str) -> Iterator[str]:
    return (rng.choice(_PARTS[name]) for name in names)
