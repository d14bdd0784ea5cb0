"""What is said of a thing in place of its name, or beside what it is to another."""

from __future__ import annotations

from collections.abc import Collection
from random import Random

from mabench_synthetic.language.english import with_article
from mabench_synthetic.language.wordings import table
from mabench_synthetic.world.relations import RELATIONS
from mabench_synthetic.world.world import World

# Descriptions that may take the place of a name where they fit one thing alone. Slots: relations
# and the theme of the thing, its job, what sort of body it is, and the year in which it began.
_DEFINITE = table("articles", "definite")
# What may be said in passing of a thing that is named otherwise; it may fit others, too.
_IN_PASSING = table("articles", "in_passing")
_YEAR = ("date", "year")  # What is asked for, and the slot that would tell half of it.


def description(
    rng: Random, world: World, kind: str, name: str, *, besides: Collection[str]
) -> str | None:
    """Return a description that fits ``name`` alone of its kind; None where none was found.

    It tells nothing of what stands in ``besides``.
    """
    wording = rng.choice(_allowed(_DEFINITE[kind], besides))
    told = wording.format(**_slots(world, kind, name))
    one = all(
        other == name or wording.format(**_slots(world, kind, other)) != told
        for other in world.entities[kind]
    )
    return told if one else None


def in_passing(
    rng: Random, world: World, kind: str, name: str, *, besides: Collection[str]
) -> str | None:
    """Return something that may be said of ``name`` in passing, but nothing of ``besides``."""
    wordings = _allowed(_IN_PASSING.get(kind, ()), besides)
    return rng.choice(wordings).format(**_slots(world, kind, name)) if wordings else None


def _allowed(wordings: Collection[str], besides: Collection[str]) -> list[str]:
    untold = {f"{{{_YEAR[1] if what == _YEAR[0] else what}}}" for what in besides}
    untold |= {"{job}", "{a_job}"} if "trade" in besides else set()
    return [w for w in wordings if not any(slot in w for slot in untold)]


def _slots(world: World, kind: str, name: str) -> dict[str, str]:
    job, body = world.trades.get(name, "-"), name.split()[-1].lower()
    return {r.name: world.state[r.name, name] for r in RELATIONS if r.subject == kind} | {
        "theme": world.state["theme", name],
        "year": str(world.dates[name].year),
        "job": job,
        "a_job": with_article(job),
        "body": body,
        "a_body": with_article(body),
    }
