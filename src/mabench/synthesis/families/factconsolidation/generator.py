"""FactConsolidation rows: numbered facts of which later ones contradict earlier ones.

Single-hop and multi-hop questions are asked over the same facts. Golds come from the state of
the world after the last fact, so the later serial number wins at every step of a chain.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from random import Random
from typing import NamedTuple

from mabench.data.schema import RowContent
from mabench.synthesis.content import QAPair, distinct, row_content
from mabench.synthesis.families.factconsolidation.history import Fact, FactHistory
from mabench.synthesis.generator import Generator, Knob, RowSpec, random_stream
from mabench.synthesis.language.english import sentence
from mabench.synthesis.language.length import tokens_of
from mabench.synthesis.world.relations import (
    RELATIONS,
    Choice,
    Relation,
    chain_question,
    shared_words,
)
from mabench.synthesis.world.world import make_entities

_KNOBS = (
    Knob("conflicts", 0.26, 0.0, 0.9, "share of the facts that contradict an earlier one"),
    Knob("distance", 1.0, 0.01, 1.0, "how far back they reach at most, as a share of the history"),
    Knob("fewest_hops", 2, 2, 4, "hops of the shortest multi-hop question"),
    Knob("most_hops", 4, 2, 4, "hops of the longest multi-hop question"),
    Knob("contradicted", 0.67, 0.0, 1.0, "share of single-hop questions about a contradicted fact"),
    Knob("paraphrase", 0.0, 0.0, 1.0, "share of the hops asked for in other words than the facts"),
)
_HEADER = "Here is a list of facts:\n"
# Measured on generated rows: tokens of a fact, facts for each person of the world, and the rate
# between o200k_base and the estimate of length.py.
_FACT_TOKENS = 17.0
_SLOTS_PER_PERSON = 14.5
_RATE = 0.992
_FEWEST_PEOPLE = 8
# The share of the slots that are about the core, and of whom the others are.
_CORE = 0.2
_FACTS_OF_OTHERS = 0.7
_OTHERS = {"person": 0.7, "work": 0.15, "organisation": 0.15}
_TRIES = 2_000


class _Context(NamedTuple):
    """The text of a context, how it words each relation, its entities and its facts."""

    text: str
    statements: dict[Relation, str]
    entities: dict[str, tuple[str, ...]]
    history: FactHistory


def _make_row(spec: RowSpec) -> RowContent:
    """Make a row; sh and mh rows of one length share their context, as on the hub.

    Raises:
        UsageError: when the history is too short for that many questions.
    """
    shape = (spec.seed, "factconsolidation", spec.row, spec.tokens)
    # These two knobs shape the context, so they are part of its stream.
    shape_knobs = (f"{spec.knobs[name]}" for name in ("conflicts", "distance"))
    context = _make_context(random_stream(*shape, *shape_knobs), spec)
    rng = random_stream(*shape, spec.source)
    ask = _multi_hop if "_mh_" in spec.source else _single_hop
    pairs = distinct(ask(rng, context, spec), spec.questions)
    return row_content(spec.source, context.text, pairs)


def _make_context(rng: Random, spec: RowSpec) -> _Context:
    """State facts until the context has its length."""
    facts = max(1, round(spec.tokens / _FACT_TOKENS))
    conflicts = spec.knobs["conflicts"]
    slots = 1.15 * facts * (1 - conflicts)
    people = max(_FEWEST_PEOPLE, round(_CORE * slots / _SLOTS_PER_PERSON))
    others = max(0, round((slots - people * _SLOTS_PER_PERSON) / _FACTS_OF_OTHERS))
    more = {kind: round(share * others) for kind, share in _OTHERS.items()}
    entities = make_entities(rng, people, more=more)
    core = {kind: len(names) - more.get(kind, 0) for kind, names in entities.items()}
    history = FactHistory(
        rng, entities, core, conflicts=conflicts, distance=spec.knobs["distance"], facts=facts
    )
    statements = {relation: rng.choice(relation.statements) for relation in RELATIONS}
    lines = _lines(rng, history, statements, spec.tokens)
    return _Context(_HEADER + "".join(lines), statements, entities, history)


def _lines(
    rng: Random, history: FactHistory, statements: dict[Relation, str], tokens: int
) -> Iterator[str]:
    """Yield lines, many at a time, so that a long context is not held twice."""
    costs: dict[str, float] = {}
    left = tokens / _RATE - tokens_of(_HEADER)
    lines: list[str] = []
    for serial, fact in enumerate(history.facts()):
        wording = statements[fact.relation]
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
        cost = costs.get(part)
        if cost is None:
            plain = part.replace("{s}", "").replace("{o}", "")
            cost = costs[part] = tokens_of(plain)
        total += cost
    return total


def _single_hop(rng: Random, context: _Context, spec: RowSpec) -> Iterator[QAPair]:
    """Ask about facts that were contradicted, and about those that were not."""
    history, choice = context.history, _choice(rng, context, spec.knobs["paraphrase"])
    updated = sorted(history.updated)
    steady = [slot for slot in history.slots() if slot not in history.updated]
    rng.shuffle(updated)
    rng.shuffle(steady)
    while updated or steady:
        wanted = rng.random() < spec.knobs["contradicted"]
        pool = updated if (wanted and updated) or not steady else steady
        fact = history.fact(pool.pop())
        if fact:
            asked = chain_question(rng, fact.subject, (fact.relation,), choice)
            yield QAPair(asked, (fact.object,))


def _multi_hop(rng: Random, context: _Context, spec: RowSpec) -> Iterator[QAPair]:
    """Ask along chains that pass a contradicted fact, as long as there are such."""
    choice = _choice(rng, context, spec.knobs["paraphrase"])
    fewest, most = int(spec.knobs["fewest_hops"]), int(spec.knobs["most_hops"])
    fewest, most = sorted((fewest, most))
    lengths = range(fewest, most + 1)
    steady = not context.history.updated
    for turn in range(_TRIES * spec.questions):
        chain = _walk(rng, context, lengths[turn % len(lengths)])
        if chain and (chain.updated or steady):
            asked = chain_question(rng, chain.subject, chain.path, choice)
            yield QAPair(asked, (chain.end,))


def _choice(rng: Random, context: _Context, paraphrase: float) -> Choice:
    """Choose the wordings nearest to how the row states a relation, or those that share nothing."""

    def choose(relation: Relation, wordings: Sequence[str]) -> Sequence[str]:
        shared = {w: shared_words(w, context.statements[relation]) for w in wordings}
        wanted = min if rng.random() < paraphrase else max
        return [w for w in wordings if shared[w] == wanted(shared.values())]

    return choose


class _Chain(NamedTuple):
    subject: str
    path: tuple[Relation, ...]
    end: str
    updated: bool


def _walk(rng: Random, context: _Context, hops: int) -> _Chain | None:
    """Return a random chain that meets no entity twice; None where the walk ends early."""
    entities, history = context.entities, context.history
    kind = rng.choice(_STARTS)
    number = rng.randrange(len(entities[kind]))
    names = [entities[kind][number]]
    path: list[Relation] = []
    updated = False
    for _ in range(hops):
        slots = ((step, history.slot(step, number)) for step in _STEPS.get(kind, ()))
        stated = [step for step in slots if history.object_of(step[1]) is not None]
        if not stated:
            return None
        relation, slot = rng.choice(stated)
        updated |= slot in history.updated
        path.append(RELATIONS[relation])
        kind, number = RELATIONS[relation].object, history.object_of(slot) or 0
        names.append(entities[kind][number])
    if len({*names}) < len(names):
        return None
    return _Chain(names[0], tuple(path), names[-1], updated)


_STARTS = ("person", "city", "organisation", "work", "country", "game")
_STEPS = {
    kind: tuple(i for i, relation in enumerate(RELATIONS) if relation.subject == kind)
    for kind in _STARTS
}

GENERATOR = Generator(family="factconsolidation", make_row=_make_row, knobs=_KNOBS)
