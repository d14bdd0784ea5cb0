"""FactConsolidation rows: numbered facts of which later ones contradict earlier ones.

Single-hop and multi-hop questions are asked over the same facts. Golds come from the state of
the world after the last fact, so the later serial number wins at every step of a chain.
"""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import NamedTuple

from mabench.data.schema import RowContent
from mabench.synthesis.english import sentence
from mabench.synthesis.facts.ledger import Fact, FactHistory
from mabench.synthesis.length import tokens_of
from mabench.synthesis.orders import Knob, Order
from mabench.synthesis.rows import Item, different, row_content
from mabench.synthesis.streams import stream
from mabench.synthesis.world.relations import RELATIONS, Relation, chain_question
from mabench.synthesis.world.world import make_entities

KNOBS = (
    Knob("conflicts", 0.26, 0.0, 0.9, "share of the facts that contradict an earlier one"),
    Knob("distance", 1.0, 0.01, 1.0, "how far back they reach at most, as a share of the history"),
    Knob("fewest_hops", 2, 2, 4, "hops of the shortest multi-hop question"),
    Knob("most_hops", 4, 2, 4, "hops of the longest multi-hop question"),
    Knob("contradicted", 0.67, 0.0, 1.0, "share of single-hop questions about a contradicted fact"),
)
_HEADER = "Here is a list of facts:\n"
# Measured on generated rows: tokens of a fact, facts for each person of the world, and the rate
# between o200k_base and the estimate of length.py.
_FACT_TOKENS = 17.0
_SLOTS_PER_PERSON = 14.5
_RATE = 0.992
_FEWEST_PEOPLE = 12
_TRIES = 2_000


class _History(NamedTuple):
    """A context and the facts that it ends in."""

    context: str
    entities: dict[str, tuple[str, ...]]
    ledger: FactHistory


def make_row(order: Order) -> RowContent:
    """Make a row; sh and mh rows of one length share their context, as on the hub.

    Raises:
        UsageError: when so short a history does not hold that many questions.
    """
    shape = (order.seed, "factconsolidation", order.row, order.tokens)
    history = _tell(stream(*shape, *_conflicting(order)), order)
    rng = stream(*shape, order.source)
    ask = _multi_hop if "_mh_" in order.source else _single_hop
    items = different(ask(rng, history, order), order.questions)
    return row_content(order.source, history.context, items)


def _conflicting(order: Order) -> tuple[str, ...]:
    return tuple(f"{order.knobs[name]}" for name in ("conflicts", "distance"))


def _tell(rng: Random, order: Order) -> _History:
    """State facts until the context has its length."""
    facts = max(1, round(order.tokens / _FACT_TOKENS))
    conflicts = order.knobs["conflicts"]
    people = max(_FEWEST_PEOPLE, round(1.15 * facts * (1 - conflicts) / _SLOTS_PER_PERSON))
    entities = make_entities(rng, people)
    ledger = FactHistory(
        rng, entities, conflicts=conflicts, distance=order.knobs["distance"], facts=facts
    )
    return _History(_HEADER + "".join(_lines(rng, ledger, order.tokens)), entities, ledger)


def _lines(rng: Random, ledger: FactHistory, tokens: int) -> Iterator[str]:
    """Yield lines, many at a time, so that a long context is not held twice."""
    costs: dict[str, float] = {}
    left = tokens / _RATE - tokens_of(_HEADER)
    lines: list[str] = []
    for serial, fact in enumerate(ledger.facts()):
        wording = fact.relation.statements[int(rng.random() * len(fact.relation.statements))]
        left -= _cost(costs, wording, fact, serial)
        lines.append(f"{serial}. {sentence(wording.format(s=fact.subject, o=fact.object))}\n")
        if left <= 0:
            break
        if len(lines) == 10_000:
            yield "".join(lines)
            lines.clear()
    yield "".join(lines)


def _cost(costs: dict[str, float], wording: str, fact: Fact, serial: int) -> float:
    """Return the tokens of a line; those of names and wordings are counted once."""
    total = 2.0 if serial < 1000 else 3.0 if serial < 1_000_000 else 4.0
    for part in (wording, fact.subject, fact.object):
        known = costs.get(part)
        if known is None:
            plain = part.replace("{s}", "").replace("{o}", "")
            known = costs[part] = tokens_of(plain)
        total += known
    return total


def _single_hop(rng: Random, history: _History, order: Order) -> Iterator[Item]:
    """Ask about facts that were contradicted, and about those that were not."""
    ledger = history.ledger
    updated = sorted(ledger.updated)
    steady = [slot for slot in ledger.slots() if slot not in ledger.updated]
    rng.shuffle(updated)
    rng.shuffle(steady)
    while updated or steady:
        wanted = rng.random() < order.knobs["contradicted"]
        pool = updated if (wanted and updated) or not steady else steady
        fact = ledger.fact(pool.pop())
        if fact:
            yield Item(chain_question(rng, fact.subject, (fact.relation,)), (fact.object,))


def _multi_hop(rng: Random, history: _History, order: Order) -> Iterator[Item]:
    """Ask along chains that pass a contradicted fact, as long as there are such."""
    fewest, most = int(order.knobs["fewest_hops"]), int(order.knobs["most_hops"])
    lengths = list(range(min(fewest, most), max(fewest, most) + 1))
    steady = not history.ledger.updated
    for turn in range(_TRIES * order.questions):
        chain = _walk(rng, history, lengths[turn % len(lengths)])
        if chain and (chain.updated or steady):
            yield Item(chain_question(rng, chain.subject, chain.path), (chain.end,))


class _Chain(NamedTuple):
    subject: str
    path: tuple[Relation, ...]
    end: str
    updated: bool


def _walk(rng: Random, history: _History, hops: int) -> _Chain | None:
    """Return a random chain that meets no entity twice, if one is found."""
    entities, ledger = history.entities, history.ledger
    kind = rng.choice(_STARTS)
    number = rng.randrange(len(entities[kind]))
    met = [entities[kind][number]]
    path: list[Relation] = []
    updated = False
    for _ in range(hops):
        relation = rng.choice(_STEPS.get(kind, ()) or (None,))
        found = None if relation is None else ledger.object_of(ledger.slot(relation, number))
        if relation is None or found is None:
            return None
        updated |= ledger.slot(relation, number) in ledger.updated
        path.append(RELATIONS[relation])
        kind, number = RELATIONS[relation].object, found
        met.append(entities[kind][number])
    return _Chain(met[0], tuple(path), met[-1], updated) if len({*met}) == len(met) else None


_STARTS = ("person", "city", "organisation", "work", "country", "game")
_STEPS = {
    kind: tuple(i for i, relation in enumerate(RELATIONS) if relation.subject == kind)
    for kind in _STARTS
}
