"""FactConsolidation rows: numbered facts of which later ones contradict earlier ones.

Single-hop and multi-hop questions are asked over the same facts. Golds come from the state of
the world after the last fact, so the later serial number wins at every step of a chain.
"""

from __future__ import annotations

import itertools
from random import Random
from typing import NamedTuple

from mabench.dataset.schema import RowContent
from mabench.synthesis.english import sentence
from mabench.synthesis.relations import BY_NAME, RELATIONS, Relation, chain_question
from mabench.synthesis.rows import Item, row_content
from mabench.synthesis.streams import stream
from mabench.synthesis.world import World, build_world

_PEOPLE = 36
_UPDATES = 120
_QUESTIONS = 40
_HOPS = (2, 3, 4)


class Fact(NamedTuple):
    """One statement: ``subject`` has ``object`` by the relation of this name."""

    relation: str
    subject: str
    object: str


class Ledger(NamedTuple):
    """Facts in the order of their serial numbers, and the world that they end in.

    ``updated`` holds the (relation, subject) pairs that were stated more than once.
    """

    facts: tuple[Fact, ...]
    world: World
    updated: frozenset[tuple[str, str]]


def make_rows(seed: int) -> list[RowContent]:
    """Return the multi-hop and the single-hop row, over one context as on the hub."""
    rng = stream(seed, "factconsolidation")
    ledger = make_ledger(rng)
    context = _context(rng, ledger.facts)
    return [
        row_content("factconsolidation_mh_6k", context, _multi_hop(rng, ledger)),
        row_content("factconsolidation_sh_6k", context, _single_hop(rng, ledger)),
    ]


def make_ledger(rng: Random) -> Ledger:
    """State all of a world's facts once and update some of them, at random distances."""
    world = build_world(rng, _PEOPLE)
    said_at = {key: rng.random() for key in world.state}
    timed = [(said_at[key], Fact(*key, object_)) for key, object_ in world.state.items()]
    keys = rng.choices(list(world.state), k=_UPDATES)
    for key in keys:
        said_at[key] = rng.uniform(said_at[key], 1)
        world.state[key] = world.another(rng, BY_NAME[key[0]], key[1])
        timed.append((said_at[key], Fact(*key, world.state[key])))
    return Ledger(tuple(fact for _, fact in sorted(timed)), world, frozenset(keys))


def _context(rng: Random, facts: tuple[Fact, ...]) -> str:
    lines = ["Here is a list of facts:"]
    for serial, fact in enumerate(facts):
        wording = rng.choice(BY_NAME[fact.relation].statements)
        lines.append(f"{serial}. {sentence(wording.format(s=fact.subject, o=fact.object))}")
    return "\n".join(lines) + "\n"


def _single_hop(rng: Random, ledger: Ledger) -> list[Item]:
    """Ask two updated facts for each one that was never contradicted."""
    updated = sorted(ledger.updated)
    steady = sorted(ledger.world.state.keys() - ledger.updated)
    share = 2 * _QUESTIONS // 3
    keys = rng.sample(updated, share) + rng.sample(steady, _QUESTIONS - share)
    rng.shuffle(keys)
    chains = ((subject, (BY_NAME[name],)) for name, subject in keys)
    return [_item(rng, ledger.world, *chain) for chain in chains]


def _multi_hop(rng: Random, ledger: Ledger) -> list[Item]:
    items: dict[str, Item] = {}
    for hops in itertools.cycle(_HOPS):
        if len(items) == _QUESTIONS:
            break
        chain = _walk(rng, ledger, hops)
        if chain:
            item = _item(rng, ledger.world, *chain)
            items[item.question] = item
    return list(items.values())


def _walk(rng: Random, ledger: Ledger, hops: int) -> tuple[str, tuple[Relation, ...]] | None:
    """Return a random chain that passes an updated fact and meets no entity twice, if found."""
    start = entity = rng.choice(sorted(ledger.world.dates))
    kind = next(kind for kind, names in ledger.world.entities.items() if entity in names)
    path: list[Relation] = []
    met, passed = {start}, set()
    for _ in range(hops):
        steps = [r for r in RELATIONS if r.subject == kind]
        if not steps:
            return None
        path.append(rng.choice(steps))
        passed.add((path[-1].name, entity))
        entity = ledger.world.state[path[-1].name, entity]
        kind = path[-1].object
        met.add(entity)
    whole = len(met) == hops + 1 and bool(passed & ledger.updated)
    return (start, tuple(path)) if whole else None


def _item(rng: Random, world: World, subject: str, path: tuple[Relation, ...]) -> Item:
    return Item(chain_question(rng, subject, path), (world.follow(subject, path),))
