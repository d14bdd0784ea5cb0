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
    """Return the published score of an answer, from 0 to 1, by the rule of its category.

    An adversarial question asks what the conversation does not say; an answer must decline it.
    """
    prediction, golds = case.prediction, case.answers
    if case.question_type == ADVERSARIAL:
        return float(any(phrase in prediction.lower() for phrase in _DECLINING))
    if case.question_type == "open-domain":
        golds = [_first_part(gold) for gold in golds]
    f1 = _mean_f1_of_parts if case.question_type == "multi-hop" else _stem_f1
    return max(f1(prediction, gold) for gold in golds)


def _mean_f1_of_parts(prediction: str, answer: str) -> float:
    """Return the mean F1 of the parts of a gold between commas, each with the part it fits best.

    These are the parts of the prediction between commas.
    """
    predicted_parts = {part.strip() for part in prediction.split(",")}
    said = [_stems(part) for part in predicted_parts]
    wanted = [_stems(part) for part in answer.split(",")]
    best_f1s = [max(_counted_f1(part, gold) for part in said) for gold in wanted]
    return sum(best_f1s) / len(best_f1s)


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
    """Return the F1 of the stems of an answer and of a gold, from 0 to 1; repeated stems count."""
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
    """Return the stem of a word by Porter's rules, as the published code does."""
    return porter_stemmer()(word)


def _corrected(case: ScoringInput) -> Corrected:
    """Return the corrected score of an answer, by the rules of its category.

    An answer to an adversarial question is right if it declines the question, or says the gold that
    two of these questions have: a "No". Multi-hop questions give shares of a list.
    """
    prediction, golds, question = case.prediction, case.answers, case.question
    if case.question_type == ADVERSARIAL:
        declining = correct_unanswerable(prediction, question)
        real_golds = [gold for gold in golds if gold != NOTHING_KNOWN]
        if declining.value == 1 or not real_golds:
            return declining
        return correct_answer(prediction, real_golds, question)
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
    # Tokens of a chunk and of an answer, by protocol.
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
