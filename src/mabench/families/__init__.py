"""What is special about each family of sources: one module each, and the way to find it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from mabench.data.inventory import BY_NAME
from mabench.errors import UsageError
from mabench.families import (
    detective,
    eventqa,
    factconsolidation,
    icl,
    infbench,
    longmemeval,
    prompts,
    recsys,
    ruler,
)
from mabench.families import (
    score as scoring,
)
from mabench.families.family import Family, ScoringInput, search_query
from mabench.families.prompts import Prompts
from mabench.families.rubric import JudgePrompt, JudgingInput, Reading, Rubric
from mabench.families.score import Score
from mabench.scoring import Catalogue

__all__ = [
    "FAMILIES",
    "Family",
    "JudgePrompt",
    "JudgingInput",
    "Prompts",
    "Reading",
    "Rubric",
    "Score",
    "ScoringInput",
    "family_of",
    "load_prompts",
    "score_answer",
    "search_query",
]

_MODULES = (ruler, longmemeval, eventqa, icl, recsys, infbench, detective, factconsolidation)
FAMILIES: Mapping[str, Family] = {module.FAMILY.name: module.FAMILY for module in _MODULES}


def family_of(source: str) -> Family:
    """Return the family of a source.

    Raises:
        UsageError: when there is no source of that name.
    """
    known = BY_NAME.get(source)
    if known is None:
        raise UsageError(f"unknown source {source!r}; `mabench sources` lists the 22")
    return FAMILIES[known.family]


def load_prompts(path: Path | None = None) -> Prompts:
    """Return the prompts of every family, with those that the TOML file replaces."""
    return prompts.load_prompts(FAMILIES.values(), path)


def score_answer(
    source: str,
    prediction: str | None,
    answers: Sequence[str] | Sequence[Sequence[str]],
    question: str | None = None,
    entities: Mapping[str, int] | Catalogue | None = None,
) -> Score:
    """Score one prediction as the published scorer does, and as it should be.

    Args:
        source: the name of the source, such as ``ruler_qa1_197K``.
        prediction: what the agent answered; None for a failed answer, which is wrong.
        answers: the golds of the question.
        question: the question, which the corrected score needs to know the given options.
        entities: entity name to id, for recommendation; a ``Catalogue`` when many predictions
            are scored, since preparing the titles takes a moment.

    Raises:
        UsageError: when the source is unknown.
    """
    family = family_of(source)
    if family.needs_entities and entities is not None and not isinstance(entities, Catalogue):
        entities = Catalogue(entities)
    catalogue = entities if isinstance(entities, Catalogue) else None
    golds = scoring.one_question(answers)
    if prediction is None:
        return scoring.failed(family, ScoringInput("", golds, question, catalogue))
    return scoring.score(family, ScoringInput(prediction, golds, question, catalogue))
