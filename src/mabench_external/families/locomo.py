"""LoCoMo: questions of five categories about the dated conversations of two people.

The published metric is an F1 over stems by category. The corrected score reads answers by the
rules for answers taken from a history; a judge can stand beside both.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from mabench.families.family import Family, ScoringInput, budgets
from mabench.families.parts import needs_metadata, pass_or_fail, read_prompts, split_before
from mabench.scoring import Corrected, correct_answer, correct_parts, correct_unanswerable
from mabench_external.locomo_f1 import first_part, locomo_f1

_PROMPTS = Path(__file__).with_name("prompts.toml")
_METRIC = "f1"
_UNANSWERABLE = "adversarial"
_DECLINED = "No information available"
# A turn's line begins with the date of its session.
_TURN = re.compile(r"^\[[^\]\n]+\] [^:\n]+: ", re.MULTILINE)


def _official(case: ScoringInput) -> Mapping[str, float]:
    return {_METRIC: locomo_f1(case.prediction, case.answers, case.question_type)}


def _corrected(case: ScoringInput) -> Mapping[str, Corrected]:
    return {_METRIC: _read(case)}


def _read(case: ScoringInput) -> Corrected:
    prediction, golds, question = case.prediction, case.answers, case.question
    if case.question_type == _UNANSWERABLE:
        declined = correct_unanswerable(prediction, question)
        # Two of these questions have a gold: the "No" to what was not so.
        given = [gold for gold in golds if gold != _DECLINED]
        if declined.value == 1 or not given:
            return declined
        return correct_answer(prediction, given, question)
    if case.question_type == "multi-hop":
        return correct_parts(prediction, golds, question)
    if case.question_type == "open-domain":
        golds = [*golds, *(first_part(gold) for gold in golds)]
    return correct_answer(prediction, golds, question)


def _ideal(case: ScoringInput) -> str:
    """Return the gold as the published metric wants it."""
    if case.question_type == _UNANSWERABLE:
        return _DECLINED
    return first_part(case.answers[0]) if case.question_type == "open-domain" else case.answers[0]


FAMILY = Family(
    name="locomo",
    prompts=read_prompts("locomo", _PROMPTS),
    units=lambda context: split_before(_TURN, context),
    budgets=budgets(paper=(512, 50), repository=(4096, 50)),
    metric=_METRIC,
    official=_official,
    corrected=_corrected,
    ideal=_ideal,
    rubric=pass_or_fail(
        read_prompts("locomo.judges", _PROMPTS),
        lambda case: "judge_unanswerable" if case.question_type == _UNANSWERABLE else "judge",
    ),
    judge_beside=True,
    row_checks=(needs_metadata("locomo", "question_types"),),
)
