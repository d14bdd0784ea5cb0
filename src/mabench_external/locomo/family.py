"""How LoCoMo's questions are asked and scored.

The published metric is an F1 over stems by category (arXiv 2402.17753). The corrected score judges
answers by the rules for answers taken from a history; a judge's score can be reported as well.
"""

from __future__ import annotations

import re
import string
from collections import Counter
from collections.abc import Callable
from functools import cache, lru_cache
from pathlib import Path

from mabench.families.budget import set_budgets
from mabench.families.cutting import split_before
from mabench.families.family import Family, ScoringInput
from mabench.families.prompt_tables import read_prompts
from mabench.families.row_checks import needs_metadata
from mabench.families.rubric import pass_or_fail
from mabench.installation import import_lock
from mabench.scoring import Corrected, correct_answer, correct_unanswerable
from mabench_external.locomo.reading import NOTHING_KNOWN

_PROMPTS = Path(__file__).with_name("prompts.toml")
_METRIC = "f1"
_UNANSWERABLE = "adversarial"
# A turn's line begins with the date of its session.
_TURN = re.compile(r"^\[[^\]\n]+\] [^:\n]+: ", re.MULTILINE)
_SIGNS = str.maketrans("", "", string.punctuation)
_ARTICLES = re.compile(r"\b(?:a|an|the|and)\b")
_DECLINING = ("no information available", "not mentioned")


def _published(case: ScoringInput) -> float:
    prediction, golds = case.prediction, case.answers
    if case.question_type == _UNANSWERABLE:
        return float(any(phrase in prediction.lower() for phrase in _DECLINING))
    if case.question_type == "open-domain":
        golds = [_first_part(gold) for gold in golds]
    f1 = _several_f1 if case.question_type == "multi-hop" else _stem_f1
    return max(f1(prediction, gold) for gold in golds)


def _several_f1(prediction: str, answer: str) -> float:
    """Return how well the answers between commas are met: the mean of the best F1 of each."""
    said = [*map(_stems, dict.fromkeys(map(str.strip, prediction.split(","))))]
    wanted = [_stems(part.strip()) for part in answer.split(",")]
    best = [max(_counted_f1(one, gold) for one in said) for gold in wanted]
    return sum(best) / len(best)


def _stem_f1(prediction: str, answer: str) -> float:
    """Return the F1 of the stems of two texts, counted as often as they stand, from 0 to 1."""
    return _counted_f1(_stems(prediction), _stems(answer))


def _stems(text: str) -> Counter[str]:
    return Counter(map(_stem, _ARTICLES.sub(" ", text.translate(_SIGNS).lower()).split()))


def _counted_f1(said: Counter[str], wanted: Counter[str]) -> float:
    if said.keys().isdisjoint(wanted):
        return 0.0
    common = (said & wanted).total()
    precision, recall = common / said.total(), common / wanted.total()
    return 2 * precision * recall / (precision + recall)


def _first_part(answer: str) -> str:
    """Return an answer up to its first semicolon, behind which others give reasons."""
    return answer.partition(";")[0].strip()


@cache
def _stemmer() -> Callable[[str], str]:
    with import_lock:  # Takes a while, so only when it is used.
        from nltk.stem.porter import PorterStemmer

    stem: Callable[[str], str] = PorterStemmer().stem
    return stem


@lru_cache(maxsize=100_000)
def _stem(word: str) -> str:
    return _stemmer()(word)


def _read(case: ScoringInput) -> Corrected:
    prediction, golds, question = case.prediction, case.answers, case.question
    if case.question_type == _UNANSWERABLE:
        declined = correct_unanswerable(prediction, question)
        # Two of these questions have a gold: the "No" to what was not so.
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
    """Return the gold as the published metric wants it."""
    if case.question_type == _UNANSWERABLE:
        return NOTHING_KNOWN
    return _first_part(case.answers[0]) if case.question_type == "open-domain" else case.answers[0]


FAMILY = Family(
    name="locomo",
    prompts=read_prompts("locomo", _PROMPTS),
    units=lambda context: split_before(_TURN, context),
    budgets=set_budgets(paper=(512, 50), repository=(4096, 50)),
    metric=_METRIC,
    official=lambda case: {_METRIC: _published(case)},
    corrected=lambda case: {_METRIC: _read(case)},
    ideal=_ideal,
    rubric=pass_or_fail(
        read_prompts("locomo.judges", _PROMPTS),
        lambda case: "judge_unanswerable" if case.question_type == _UNANSWERABLE else "judge",
    ),
    judge_beside=True,
    row_checks=(needs_metadata("locomo", "question_types"),),
)
