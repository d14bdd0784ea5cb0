"""Makes rows of FactConsolidation: numbered facts, where later ones contradict earlier ones.

Single-hop and multi-hop questions are about the same facts. Golds come from the state after the
last fact, so the later fact counts at every step of a chain.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from random import Random
from typing import NamedTuple

from mabench.data.schema import RowContent
from mabench_synthetic.families.factconsolidation.history import FactHistory, StatedFact
from mabench_synthetic.generator import (
    Generator,
    Knob,
    QAPair,
    RowSpec,
    distinct,
    id_stem_of,
    random_stream,
    row_content,
)
from mabench_synthetic.language import rate_of, sentence, tokens_of
from mabench_synthetic.world import (
    RELATIONS,
    Choice,
    Relation,
    chain_question,
    name_entities,
    shared_words,
)

_KNOBS = (
    Knob("conflicts", 0.35, 0.0, 0.9, "share of the facts that contradict an earlier one"),
    Knob("distance", 1.0, 0.01, 1.0, "how far back they reach at most, as a share of the history"),
    Knob("fewest_hops", 2, 2, 4, "hops of the shortest multi-hop question"),
    Knob("most_hops", 4, 2, 4, "hops of the longest multi-hop question"),
    Knob("contradicted", 0.67, 0.0, 1.0, "share of single-hop questions about a contradicted fact"),
    Knob("paraphrase", 0.35, 0.0, 1.0, "share of the hops asked for in other words than the facts"),
)
_HEADER = "Here is a list of facts:\n"
# The fewest tokens of a fact.
_FACT_TOKENS = 12.0
# How often a question has each number of hops, by weight.
_HOPS = {2: 63, 3: 25, 4: 12}
_TRIES = 200


class _Context(NamedTuple):
    """The text of a context, with its wording of each relation, its entities and its facts.

    ``serials`` has, by slot, the serial number of the fact that holds.
    """

    text: str
    statements: dict[Relation, str]
    entities: dict[str, tuple[str, ...]]
    history: FactHistory
    serials: Sequence[int] = ()


def _make_row(spec: RowSpec) -> RowContent:
    """Make a row; as on the hub, sh and mh rows of one length share their context.

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
    return row_content(spec.source, context.text, pairs, id_stem=id_stem_of(spec))


def _make_context(rng: Random, spec: RowSpec) -> _Context:
    """State facts until the context has its length."""
    history = FactHistory(
        rng,
        conflicts=spec.knobs["conflicts"],
        distance=spec.knobs["distance"],
        facts=round(spec.tokens / _FACT_TOKENS) + 1,
    )
    entities = name_entities(rng, history.counts)
    statements = {relation: rng.choice(relation.statements) for relation in RELATIONS}
    context = _Context("", statements, entities, history)
    history.cut(_slots_within(context, spec.tokens))
    lines = (f"{_line(context, serial, fact)}\n" for serial, fact in enumerate(history.facts()))
    return context._replace(text=_HEADER + "".join(lines), serials=history.serials())


def _slots_within(context: _Context, tokens: int) -> int:
    """Return how many slots can be stated in that many tokens."""
    # Names and wordings recur, so the tokens of each are counted once.
    cost = cache(lambda part: tokens_of(part.replace("{s}", "").replace("{o}", "")))
    left = tokens / rate_of("facts") - tokens_of(_HEADER)
    facts = 0
    for slot in context.history.slots():
        for fact in context.history.stated(slot):
            left -= sum((cost(part) for part in _worded(context, fact)), _serial_tokens(facts))
            facts += 1
        if left <= 0:
            return slot + 1
    return len(context.history.slots())


def _serial_tokens(serial: int) -> float:
    """Return the tokens of a serial number with its full stop: one for each three digits."""
    if serial < 1000:
        return 2.0
    return 3.0 if serial < 1_000_000 else 4.0


def _line(context: _Context, serial: int, fact: StatedFact) -> str:
    """Return the line of the context that states a fact."""
    wording, subject, object_ = _worded(context, fact)
    return f"{serial}. {sentence(wording.format(s=subject, o=object_))}"


def _lines_that_hold(context: _Context, *slots: int) -> tuple[str, ...]:
    """Return the lines that state the facts of these slots that hold in the end."""
    return tuple(_line(context, context.serials[s], context.history.holds(s)) for s in slots)


def _worded(context: _Context, fact: StatedFact) -> tuple[str, str, str]:
    """Return the wording of a fact, and its two names."""
    relation = RELATIONS[fact.relation]
    subject = context.entities[relation.subject][fact.subject]
    object_ = context.entities[relation.object][fact.object]
    return context.statements[relation], subject, object_


def _single_hop(rng: Random, context: _Context, spec: RowSpec) -> Iterator[QAPair]:
    """Ask about facts that were contradicted, and about others."""
    history, choice = context.history, _choice(rng, context, spec.knobs["paraphrase"])
    slots = rng.sample(history.slots(), len(history.slots()))
    updated = [slot for slot in slots if history.is_updated(slot)]
    others = [slot for slot in slots if not history.is_updated(slot)]
    while updated or others:
        wants_updated = rng.random() < spec.knobs["contradicted"]
        pool = updated if updated and (wants_updated or not others) else others
        slot = pool.pop()
        fact = history.holds(slot)
        _, subject, object_ = _worded(context, fact)
        asked = chain_question(rng, subject, (RELATIONS[fact.relation],), choice)
        yield QAPair(asked, (object_,), _lines_that_hold(context, slot))


def _multi_hop(rng: Random, context: _Context, spec: RowSpec) -> Iterator[QAPair]:
    """Ask along chains with a contradicted fact, as long as there are any.

    If nothing in the history is contradicted, any chain will do.
    """
    choice = _choice(rng, context, spec.knobs["paraphrase"])
    fewest, most = sorted((int(spec.knobs["fewest_hops"]), int(spec.knobs["most_hops"])))
    weights = {hops: weight for hops, weight in _HOPS.items() if fewest <= hops <= most}
    any_chain = not any(map(context.history.is_updated, context.history.slots()))
    for _ in range(_TRIES * spec.questions):
        (hops,) = rng.choices([*weights], [*weights.values()])
        for _ in range(_TRIES):
            chain = _walk(rng, context, hops)
            if chain and (chain.updated or any_chain):
                asked = chain_question(rng, chain.subject, chain.path, choice)
                yield QAPair(asked, (chain.end,), _lines_that_hold(context, *chain.slots))
                break


def _choice(rng: Random, context: _Context, paraphrase: float) -> Choice:
    """Return a choice of the wordings nearest to those of the row, or of the farthest.

    ``paraphrase`` is how often it is the farthest, which share the fewest words with the row's.
    """

    def choose(relation: Relation, wordings: Sequence[str]) -> Sequence[str]:
        shared = [shared_words(wording, context.statements[relation]) for wording in wordings]
        is_paraphrase = rng.random() < paraphrase
        wanted = min(shared, default=0) if is_paraphrase else max(shared, default=0)
        return [wording for wording, n in zip(wordings, shared, strict=True) if n == wanted]

    return choose


class _Chain(NamedTuple):
    """Facts that lead from a subject to an end; ``updated`` if one of them replaced another."""

    subject: str
    path: tuple[Relation, ...]
    end: str
    updated: bool
    slots: tuple[int, ...]


def _walk(rng: Random, context: _Context, hops: int) -> _Chain | None:
    """Return a random chain without repeated entities; None if it ends too early."""
    entities, history = context.entities, context.history
    kind, number = rng.choice(history.heads)
    names = [entities[kind][number]]
    path: list[Relation] = []
    slots: list[int] = []
    updated = False
    for _ in range(hops):
        stated = history.slots_of(kind, number)
        if not stated:
            return None
        slot = rng.choice(stated)
        slots.append(slot)
        updated |= history.is_updated(slot)
        fact = history.holds(slot)
        path.append(RELATIONS[fact.relation])
        kind, number = path[-1].object, fact.object
        names.append(entities[kind][number])
    if len({*names}) < len(names):
        return None
    return _Chain(names[0], tuple(path), names[-1], updated, tuple(slots))


GENERATOR = Generator(family="factconsolidation", make_row=_make_row, knobs=_KNOBS)
