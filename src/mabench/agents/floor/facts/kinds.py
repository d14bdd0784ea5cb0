"""Kinds of names, learnt from the statements that say what stands in them: the city of X."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping

from mabench.agents.floor.facts.grammar import kind_of_second
from mabench.agents.floor.facts.book import Ledger, Step

_LEAST = 0.15
_GENEROUS = 1.25  # Names that are only seen elsewhere may be of the kind too.


def kinds_of_steps(ledger: Ledger) -> dict[Step, Mapping[str, float]]:
    """Return, for each step, nouns for the kind of name to which it leads.

    A noun comes from the step's own frames, with 1, or from those of a step that leads to many
    of the same names, with their share.
    """
    ends: defaultdict[Step, Counter[str]] = defaultdict(Counter)
    for fact in ledger.facts:
        for back in (False, True):
            ends[Step(fact.relation, back)][fact.keys[0 if back else 1]] += 1
    nouns = _nouns(ledger)
    return {step: _kinds(step, ends, nouns) for step in ends}


def _nouns(ledger: Ledger) -> dict[Step, set[str]]:
    nouns: defaultdict[Step, set[str]] = defaultdict(set)
    for relation, group in enumerate(ledger.relations):
        for member in group:
            noun = kind_of_second(member.frame)
            if noun:
                nouns[Step(relation, member.turned)].add(noun)
    return nouns


def _kinds(
    step: Step, ends: Mapping[Step, Counter[str]], nouns: Mapping[Step, set[str]]
) -> dict[str, float]:
    kinds: defaultdict[str, float] = defaultdict(float)
    own = ends[step]
    for other, named in nouns.items():
        common = sum(count for name, count in own.items() if name in ends[other])
        share = 1.0 if other == step else min(1.0, _GENEROUS * common / own.total())
        if share >= _LEAST:
            for noun in named:
                kinds[noun] = max(kinds[noun], share)
    return dict(kinds)
