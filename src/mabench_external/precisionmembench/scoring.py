"""How PrecisionMemBench scores what a memory returned: what must be there, and what must not.

The published code adds beliefs by itself (pinned ones, and those that a relation joins), takes the
first of what the memory returned, and checks each expectation of the case (arXiv 2605.11325). No
language model judges, and no answer counts: only what was found.

Here, a gold is the object that ``reading.gold`` wrote as JSON text; ``reading`` lists its fields.
Beliefs are named by their ids.
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
    """Return the ids of the beliefs that a text holds word for word, in the text's order.

    The text is that of the passages which a memory returned. ``texts`` has the text of each belief
    by its id.
    """
    place_by_id = {}
    for name, belief_text in texts.items():
        place = text.find(belief_text)
        if place >= 0:
            place_by_id[name] = place
    return sorted(place_by_id, key=lambda name: place_by_id[name])


def relevant_beliefs(returned: Sequence[str], gold: Mapping[str, Any]) -> list[str]:
    """Return the beliefs that count as found: those returned, then those that relations join.

    Pinned beliefs do not count, since the published code adds them by itself; they take their share
    of the limit, ``most``. Nothing counts for an empty query.
    """
    pinned, most = gold["pinned"], gold["most"]
    found = [] if gold["is_blank"] else [name for name in returned if name not in pinned][:most]
    joined: list[str] = []
    for name in found:
        participants = gold["expands"].get(name, ())  # Empty for most.
        joined += [other for other in participants if other not in pinned and other not in found]
    limit = max(0, most - len(pinned[:most]))
    return [*found, *joined][:limit]


def failures(relevant: Sequence[str], gold: Mapping[str, Any]) -> Iterator[str]:
    """Yield every expectation of a case that is not met, in words.

    A case expects something of each tier: of the beliefs found, ``relevant``, of the pinned facts
    and of the open questions. The published code adds the latter two by itself.
    """
    pinned = set(gold["pinned"][: gold["most"]])
    yield from _failures_of_relevant(relevant, pinned, gold["expect"].get("relevantBeliefs", {}))
    open_questions = set(gold["questions"][: gold["most_questions"]])
    for tier, present in (("pinnedFacts", pinned), ("openQuestions", open_questions)):
        expected = gold["expect"].get(tier, {})
        for name in set(expected.get("mustInclude", ())) - present:
            yield f"{name} is missing"
        for name in present & set(expected.get("mustExclude", ())):
            yield f"{name} must not be there"


def _failures_of_relevant(
    relevant: Sequence[str], pinned: set[str], expected: Mapping[str, Any]
) -> Iterator[str]:
    """Yield every expectation of the beliefs found that is not met.

    Pinned beliefs are there as well for what must or must not be there, and for nothing else.
    """
    found = set(relevant)
    present = found | pinned
    for name in (*expected.get("mustInclude", ()), *expected.get("shouldInclude", ())):
        if name not in present:
            yield f"{name} is missing"
    for name in present & set(expected.get("mustExclude", ())):
        yield f"{name} must not be there"
    if "shouldOnlyInclude" in expected:
        for name in found ^ set(expected["shouldOnlyInclude"]):  # In one of the two only.
            yield f"{name} is there or missing"
    fewest, most = expected.get("minCount", 0), expected.get("maxCount", len(found))
    if not fewest <= len(found) <= most:
        yield f"{len(found)} beliefs"
    for first, second in expected.get("orderedBefore", ()):
        both_found = first in found and second in found
        if not both_found or relevant.index(first) >= relevant.index(second):
            yield f"{first} is not before {second}"


def precision_and_recall(
    relevant: Sequence[str], gold: Mapping[str, Any]
) -> tuple[float | None, float | None]:
    """Return the precision and the recall of the beliefs found, each from 0 to 1.

    The recall is None if the case expects no belief. The precision of nothing found is 0 if
    beliefs are expected, else None.
    """
    found, expected = set(relevant), _expected_beliefs(gold)
    hits = len(found & expected)
    recall = hits / len(expected) if expected else None
    if found:
        return hits / len(found), recall
    return (0.0 if expected else None), recall


def _expected_beliefs(gold: Mapping[str, Any]) -> set[str]:
    """Return the beliefs that a case expects to be found, by which precision and recall count."""
    expectations = gold["expect"].get("relevantBeliefs", {})
    only_these = expectations.get("shouldOnlyInclude")
    if only_these is not None:
        return set(only_these)
    return set(expectations.get("mustInclude", ())) - set(gold["always_pinned"])


def _official(case: ScoringInput) -> Mapping[str, float]:
    """Return the published scores of what came back: whether the case passed, and the two rates.

    A rate that is not defined for the case is left out.
    """
    gold = _parse_gold(case.answers[0])
    if gold is None:
        return {_METRIC: 0.0}
    relevant = relevant_beliefs(returned_beliefs(case.prediction, gold["texts"]), gold)
    has_passed = not any(failures(relevant, gold))
    precision, recall = precision_and_recall(relevant, gold)
    scores = {_METRIC: has_passed, "precision": precision, "recall": recall}
    return {name: score for name, score in scores.items() if score is not None}


def _parse_gold(text: str) -> Any:
    """Return the object in a gold; None for one of another form, as in a user's own rows."""
    try:
        gold = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return gold if isinstance(gold, dict) and "texts" in gold else None


def _ideal(case: ScoringInput) -> str:
    """Return the beliefs that should come back, as a memory would return them."""
    gold = _parse_gold(case.answers[0])
    if gold is None:
        return ""
    expectations = gold["expect"].get("relevantBeliefs", {})
    ids = expectations.get("shouldOnlyInclude") or expectations.get("mustInclude") or ()
    return "\n\n".join(gold["texts"][name] for name in ids)


FAMILY = Family(
    name="precisionmembench",
    prompts=read_prompts("precisionmembench", _PROMPTS),
    units=lambda context: context.splitlines(keepends=True),
    # Tokens of a chunk and of an answer, by protocol.
    budgets=set_budgets(paper=(1, 100), repository=(1, 100)),
    metric=_METRIC,
    official=_official,
    ideal=_ideal,
    answered_by="passages",
    repeated_ids="warning",
)
