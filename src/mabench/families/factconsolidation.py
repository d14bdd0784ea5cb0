"""FactConsolidation: a numbered list of facts in which later facts supersede earlier ones.

Questions ask one fact (sh) or a chain of facts (mh); the gold is always a single string.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from mabench.data import Row
from mabench.families.family import AuditCheck, Doubt, Family, budgets, by_rule
from mabench.families.parts import GOLD_ABSENT, split_after
from mabench.scoring import Catalogue, correct_answer, normalize

if TYPE_CHECKING:
    from mabench_floor.facts import Chains, Fact, FactBook, Hop

_LINE_END = re.compile(r"\n+")

_PROMPT = """\
What you remember holds a numbered list of facts about the world. Some facts contradict earlier \
ones: of two that disagree, the one with the larger serial number is true, whatever you know from \
elsewhere. A question may need several facts one after the other. Reply with the answer alone, in \
as few words as possible.

Now Answer the Question: {question}
Answer:"""

_NEAR = 3.0  # How much worse than the best a reading of a question may fit it.
_MOST_ROUTES = 1000


class _Reading(NamedTuple):
    """A way to understand a question: the hops to take from a name."""

    start: str
    hops: tuple[Hop, ...]


def _gold_superseded(row: Row, catalogue: Catalogue | None) -> Iterator[Doubt]:
    """A gold that follows from a fact which a later fact of the history contradicts.

    The detail shows both chains of facts: the one that the gold needs, and the one of the newest
    facts. A gold that the newest facts give by any likely reading of the question is sound, and
    one that no facts give is not judged, since the reading may be wrong.
    """
    from mabench_floor import facts  # Takes a moment: only when an audit asks.

    book = facts.read_book(facts.statements_in(row.context))
    if book is None:
        return
    chains = facts.Chains(book)
    for index, (question, answers) in enumerate(zip(row.questions, row.answers, strict=True)):
        detail = _contradiction(book, _readings(chains, question), answers)
        if detail:
            yield index, detail


def _readings(chains: Chains, question: str) -> list[_Reading]:
    """Return the likely readings of a question, the best first."""
    ranked = chains.ranked(question)
    readings = {
        _Reading(chain.facts[0].keys[1 - chain.hops[0].end], chain.hops): None
        for chain in ranked
        if chain.score >= ranked[0].score - _NEAR
    }
    return list(readings)


def _contradiction(
    book: FactBook, readings: Sequence[_Reading], answers: Sequence[str]
) -> str | None:
    """Return the facts that the gold needs and those of the rule, where they differ."""
    newest = [(reading, _newest(book, reading)) for reading in readings]
    if any(_gives(route, reading, answers) for reading, route in newest):
        return None
    for reading, rule in newest:
        for route in islice(_routes(book, *reading), _MOST_ROUTES):
            if _gives(route, reading, answers):
                return f"needs {_written(route)}; the rule gives {_written(rule)}"
    return None


def _newest(book: FactBook, reading: _Reading) -> tuple[Fact, ...]:
    """Return the newest facts along a reading, as far as there are any."""
    key, route = reading.start, []
    for hop in reading.hops:
        facts = book.hops(key).get(hop)
        if not facts:
            break
        route.append(facts[-1])
        key = facts[-1].keys[hop.end]
    return tuple(route)


def _routes(book: FactBook, key: str, hops: Sequence[Hop]) -> Iterator[tuple[Fact, ...]]:
    """Yield all ways along ``hops``, whether their facts are superseded or not."""
    if not hops:
        yield ()
        return
    for fact in reversed(book.hops(key).get(hops[0], ())):
        for rest in _routes(book, fact.keys[hops[0].end], hops[1:]):
            yield (fact, *rest)


def _gives(route: Sequence[Fact], reading: _Reading, answers: Sequence[str]) -> bool:
    if len(route) < len(reading.hops):
        return False
    end = normalize(route[-1].names[reading.hops[-1].end])
    return any(normalize(answer) in end for answer in answers)


def _written(route: Sequence[Fact]) -> str:
    return " > ".join(f"{fact.serial}. {fact.text}" for fact in route)


FAMILY = Family(
    name="factconsolidation",
    prompts={"answer": _PROMPT},
    units=lambda context: split_after(_LINE_END, context),
    budgets=budgets(paper=(512, 10), repository=(4096, 10)),
    metric="substring_exact_match",
    corrected=by_rule("substring_exact_match", correct_answer),
    gold_in_text=lambda answers: True,
    audit_checks=(GOLD_ABSENT, AuditCheck("gold-superseded", _gold_superseded, lowers_best=True)),
)
