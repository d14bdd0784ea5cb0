"""How PrecisionMemBench scores what a memory returned: what must be there, and what must not.

The published code adds beliefs by itself (pinned ones, and those that a relation joins), takes so
many of what the memory returned, and checks each expectation of the case (arXiv 2605.11325). No
language model judges, and no answer counts: only what was found.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from mabench.families.budget import set_budgets
from mabench.families.family import Family, ScoringInput
from mabench.families.prompt_tables import read_prompts

_PROMPTS = Path(__file__).parents[1] / "prompts.toml"
_METRIC = "passed"


def returned_beliefs(text: str, texts: Mapping[str, str]) -> list[str]:
    """Return the ids of the beliefs that some passages hold word for word, in their order."""
    places = {name: text.find(said) for name, said in texts.items()}
    return sorted((name for name, place in places.items() if place >= 0), key=places.__getitem__)


def relevant_beliefs(returned: Sequence[str], gold: Mapping[str, Any]) -> list[str]:
    """Return what counts as found: without pinned beliefs, with joined ones, at most ``most``."""
    pinned, most = gold["pinned"], gold["most"]
    found = [] if gold["is_blank"] else [one for one in returned if one not in pinned][:most]
    excluded = {*pinned, *found}
    joined = [
        one
        for relation in found
        for one in gold["expands"].get(relation, ())
        if one not in excluded
    ]
    return [*found, *joined][: max(0, most - len(pinned[:most]))]


def failures(relevant: Sequence[str], gold: Mapping[str, Any]) -> Iterator[str]:
    """Yield every expectation of a case that is not met."""
    expect, pinned = gold["expect"], {*gold["pinned"][: gold["most"]]}
    beliefs, found = expect.get("relevantBeliefs", {}), {*relevant}
    either = found | pinned
    for name in (*beliefs.get("mustInclude", ()), *beliefs.get("shouldInclude", ())):
        if name not in either:
            yield f"{name} is missing"
    yield from (f"{one} must not be there" for one in either & {*beliefs.get("mustExclude", ())})
    if "shouldOnlyInclude" in beliefs:
        yield from (f"{one} is there or missing" for one in found ^ {*beliefs["shouldOnlyInclude"]})
    if not beliefs.get("minCount", 0) <= len(found) <= beliefs.get("maxCount", len(found)):
        yield f"{len(found)} beliefs"
    for first, second in beliefs.get("orderedBefore", ()):
        if not {first, second} <= found or relevant.index(first) >= relevant.index(second):
            yield f"{first} is not before {second}"
    opened = {*gold["questions"][: gold["most_questions"]]}
    for tier, there in (("pinnedFacts", pinned), ("openQuestions", opened)):
        wanted = expect.get(tier, {})
        yield from (f"{one} is missing" for one in {*wanted.get("mustInclude", ())} - there)
        yield from (f"{one} must not be there" for one in there & {*wanted.get("mustExclude", ())})


def precision_and_recall(
    relevant: Sequence[str], gold: Mapping[str, Any]
) -> tuple[float | None, float | None]:
    """Return both; None if a case expects nothing, and nothing was found."""
    beliefs = gold["expect"].get("relevantBeliefs", {})
    if "shouldOnlyInclude" in beliefs and beliefs["shouldOnlyInclude"] is not None:
        wanted = {*beliefs["shouldOnlyInclude"]}
    else:
        wanted = {*beliefs.get("mustInclude", ())} - {*gold["always_pinned"]}
    found = {*relevant}
    hits = len(found & wanted)
    recall = hits / len(wanted) if wanted else None
    if not found:
        return (0.0 if wanted else None), recall
    return hits / len(found), recall


def _official(case: ScoringInput) -> Mapping[str, float]:
    gold = _gold_of(case.answers[0])
    if gold is None:
        return {_METRIC: 0.0}
    relevant = relevant_beliefs(returned_beliefs(case.prediction, gold["texts"]), gold)
    precision, recall = precision_and_recall(relevant, gold)
    scores = {_METRIC: not any(failures(relevant, gold)), "precision": precision, "recall": recall}
    return {name: value for name, value in scores.items() if value is not None}


def _gold_of(text: str) -> Any:
    """Return what a gold says; None for one of another form, as in a user's own rows."""
    try:
        gold = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return gold if isinstance(gold, dict) and "texts" in gold else None


def _ideal(case: ScoringInput) -> str:
    """Return the beliefs that should come back, as a memory would return them."""
    gold = _gold_of(case.answers[0]) or {"expect": {}, "texts": {}}
    beliefs = gold["expect"].get("relevantBeliefs", {})
    named = beliefs.get("shouldOnlyInclude") or beliefs.get("mustInclude") or ()
    return "\n\n".join(gold["texts"][one] for one in named)


FAMILY = Family(
    name="precisionmembench",
    prompts=read_prompts("precisionmembench", _PROMPTS),
    units=lambda context: context.splitlines(keepends=True),
    budgets=set_budgets(paper=(1, 100), repository=(1, 100)),
    metric=_METRIC,
    official=_official,
    ideal=_ideal,
    answered_by="passages",
    repeated_ids="warning",
)
