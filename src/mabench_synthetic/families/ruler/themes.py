"""What an article is about besides its facts: each subject has a theme, told by its things.

Real articles differ in what they are about, and a search by meaning finds them by it. Without
themes, all articles of a kind would mean nearly the same.
"""

from __future__ import annotations

from random import Random

from mabench_synthetic.language.wordings import table
from mabench_synthetic.world.world import World

# The things of each theme, all in the plural.
_THINGS = table("themes", "things")
_NAMES = tuple(_THINGS)


def give_themes(rng: Random, world: World) -> None:
    """Draw a theme for each person, city, organisation and work, kept like a relation."""
    for kind in ("person", "city", "organisation", "work"):
        for name in world.entities[kind]:
            world.state["theme", name] = rng.choice(_NAMES)


def a_thing(rng: Random, world: World, name: str) -> str:
    """Return a kind of things that belongs to the theme of a subject, in the plural."""
    return rng.choice(_THINGS[world.state["theme", name]])
