"""The families for users' own sources: ``answer``, ``choice``, ``label``, ``judged``, ``observed``.

Each is scored like a family of the benchmark, but its prompt fits any history; ``observed`` has no
score, since nobody knows what is right. Units are paragraphs, unless the source says how a unit
begins. ``families/__init__.py`` says how to add a metric.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from mabench.families.benchmark import FAMILIES
from mabench.families.cutting import split_paragraphs
from mabench.families.family import NOT_SCORED, Family
from mabench.families.prompt_tables import read_prompts

# The family of the benchmark by which each is scored.
_SCORED_LIKE = {"answer": "ruler", "choice": "detective", "label": "icl", "judged": "longmemeval"}

OBSERVED = "observed"


def _demonstrations(context: str) -> list[str]:
    """Cut a history after labels as the benchmark writes them; without any, at blank lines."""
    pieces = FAMILIES["icl"].units(context)
    return pieces if len(pieces) > 1 else split_paragraphs(context)


_PROMPTS = read_prompts("own")
_SCORED: Mapping[str, Family] = {
    name: replace(
        FAMILIES[like],
        name=name,
        prompts={"answer": _PROMPTS[name]},
        units=_demonstrations if name == "label" else split_paragraphs,
        # LongMemEval's checks require fields that users' rows need not have.
        row_checks=FAMILIES[like].row_checks if name == "choice" else (),
        repeated_ids="warning",
    )
    for name, like in _SCORED_LIKE.items()
}

OWN_FAMILIES: Mapping[str, Family] = {
    **_SCORED,
    OBSERVED: Family(
        name=OBSERVED,
        prompts=_SCORED["answer"].prompts,
        units=split_paragraphs,
        budgets=_SCORED["answer"].budgets,
        metric=NOT_SCORED,
        official=lambda case: {},
        repeated_ids="warning",
    ),
}
