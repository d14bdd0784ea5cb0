"""The family of LoCoMo: how its questions are asked and scored.

The published metric is an F1 over stems by category (arXiv 2402.17753). The corrected score judges
answers by the rules for answers taken from a history; a judge's score can be reported as well.
"""

from __future__ import annotations

import re
import string
from collections import Counter
from functools import cache, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from mabench.families.budget import set_budgets
from mabench.families.cutting import split_before
from mabench.families.family import Family, ScoringInput
from mabench.families.prompt_tables import read_prompts
from mabench.families.row_checks import needs_metadata
from mabench.families.rubric import pass_or_fail
from mabench.scoring import Corrected, correct_answer, correct_unanswerable
from mabench.text.stemmers import porter_stemmer
from mabench_external.locomo.reading import ADVERSARIAL, NOTHING_KNOWN

if TYPE_CHECKING:
    import regex

_PROMPTS = Path(__file__).with_name("prompts.toml")
_METRIC = "f1"
# A turn's line begins with the date of its session.
_TURN = re.compile(r"^\[[^\]\n]+\] [^:\n]+: ", re.MULTILINE)
_SIGNS = str.maketrans("", "", string.punctuation)
_DECLINING = ("no information available", "not mentioned")


def _published_f1(case: ScoringInput) -> float:
    """Return the published score of an answer."""
    prediction, golds = case.prediction, case.answers
    if case.question_type == ADVERSARIAL:
        return float(any(phrase in prediction.lower() for phrase in _DECLINING))
    if case.question_type == "open-domain":
        golds = [_first_part(gold) for gold in golds]
    f1 = _mean_f1_of_parts if case.question_type == "multi-hop" else _stem_f1
    return max(f1(prediction, gold) for gold in golds)


def _mean_f1_of_parts(prediction: str, answer: str) -> float:
    """Return the mean, over the parts of a gold between commas, of the best F1 of each."""
    predicted_parts = dict.fromkeys(part.strip() for part in prediction.split(","))
    said = [_stems(part) for part in predicted_parts]
    wanted = [_stems(part.strip()) for part in answer.split(",")]
    best = [max(_counted_f1(one, gold) for one in said) for gold in wanted]
    return sum(best) / len(best)


def _stem_f1(prediction: str, answer: str) -> float:
    """Return the F1 of the stems of two texts, from 0 to 1; repeated stems count."""
    return _counted_f1(_stems(prediction), _stems(answer))


def _stems(text: str) -> Counter[str]:
    """Return the stems of a text without articles and punctuation, with their counts."""
    without_signs = text.translate(_SIGNS).lower()
    return Counter(_stem(word) for word in _articles().sub(" ", without_signs).split())


@cache
def _articles() -> regex.Pattern[str]:
    """Return a pattern of ``regex``, as published: its words have combining marks, ``re``'s not."""
    import regex

    return regex.compile(r"\b(?:a|an|the|and)\b")


def _counted_f1(said: Counter[str], wanted: Counter[str]) -> float:
    if said.keys().isdisjoint(wanted):
        return 0.0
    common = (said & wanted).total()
    precision, recall = common / said.total(), common / wanted.total()
    return 2 * precision * recall / (precision + recall)


def _first_part(answer: str) -> str:
    """Return an answer up to its first semicolon, after which some golds give reasons."""
    return answer.partition(";")[0].strip()


@lru_cache(maxsize=100_000)
def _stem(word: str) -> str:
    return porter_stemmer()(word)


def _corrected(case: ScoringInput) -> Corrected:
    """Return the corrected score of an answer, by the rules of its category."""
    prediction, golds, question = case.prediction, case.answers, case.question
    if case.question_type == ADVERSARIAL:
        declined = correct_unanswerable(prediction, question)
        # Two of these questions have a gold: a "No".
        given = [gold for gold in golds if gold != NOTHING_KNOWN]
        if declined.value == 1 or not given:
            return declined
        return correct_answer(prediction, given, question)
    if case.question_type == "multi-hop":
        return correct_answer(prediction, golds, question, shares=True)
    if case.question_type == "open-domain":
        golds = [*golds, *(_first_part(gold) for gold in golds)]
    return correct_answer(prediction, golds, question)


def _ideal(case: ScoringInput) -> str:
    """Return an answer that is perfect by the published metric."""
    if case.question_type == ADVERSARIAL:
        return NOTHING_KNOWN
    if case.question_type == "open-domain":
        return _first_part(case.answers[0])
    return case.answers[0]


FAMILY = Family(
    name="locomo",
    prompts=read_prompts("locomo", _PROMPTS),
    units=lambda context: split_before(_TURN, context),
    budgets=set_budgets(paper=(512, 50), repository=(4096, 50)),
    metric=_METRIC,
    official=lambda case: {_METRIC: _published_f1(case)},
    corrected=lambda case: {_METRIC: _corrected(case)},
    ideal=_ideal,
    rubric=pass_or_fail(
        read_prompts("locomo.judges", _PROMPTS),
        lambda case: "judge_unanswerable" if case.question_type == ADVERSARIAL else "judge",
    ),
    judge_beside=True,
    row_checks=(needs_metadata("locomo", "question_types"),),
)
