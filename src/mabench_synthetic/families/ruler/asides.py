"""Clauses of no importance, which fill articles and mention others of the world in passing."""

from __future__ import annotations

from random import Random

from mabench_synthetic.language.english import long_date
from mabench_synthetic.language.wordings import table
from mabench_synthetic.world.world import World

_WORDINGS = ("{source} {verb} {matter}, {comment}", "{comment}, {source} {verb} {matter}")
# The parts vary independently, so few asides repeat. Matters that name others use words in which
# questions ask for something else, as any large collection of texts does.
_PARTS = table("articles", "asides")
_NAMED_SHARE = 0.6


def aside(rng: Random, world: World) -> str:
    """Return a clause of which nothing is asked, one of more than twenty thousand."""
    parts = {name: rng.choice(words) for name, words in _PARTS.items()}
    day = rng.choice(tuple(world.dates.values()))
    parts["source"] = parts["source"].format(date=long_date(day), year=day.year)
    if rng.random() < _NAMED_SHARE:
        kinds = ("person", "city", "organisation")
        names = {kind: rng.choice(world.entities[kind]) for kind in kinds}
        parts["matter"] = parts["named"].format(**names)
    follows = parts["comment"].startswith(("and ", "which "))
    wording = _WORDINGS[0] if follows else rng.choice(_WORDINGS)
    return wording.format(**parts)
