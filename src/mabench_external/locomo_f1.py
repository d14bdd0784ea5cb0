"""LoCoMo's published metric: F1 over stems, by the category of a question (arXiv 2402.17753)."""

from __future__ import annotations

import re
import string
from collections import Counter
from collections.abc import Callable, Sequence
from functools import cache, lru_cache

from mabench.installation import import_lock

_SIGNS = str.maketrans("", "", string.punctuation)
_ARTICLES = re.compile(r"\b(?:a|an|the|and)\b")
_DECLINED = ("no information available", "not mentioned")


def stem_f1(prediction: str, answer: str) -> float:
    """Return the F1 of the stems of two texts, counted as often as they stand, from 0 to 1."""
    said, wanted = Counter(_stems(prediction)), Counter(_stems(answer))
    common = (said & wanted).total()
    if not common:
        return 0.0
    precision, recall = common / said.total(), common / wanted.total()
    return 2 * precision * recall / (precision + recall)


def several_f1(prediction: str, answer: str) -> float:
    """Return how well the answers between commas are met: the mean of the best F1 of each."""
    said, wanted = ([part.strip() for part in text.split(",")] for text in (prediction, answer))
    best = [max(stem_f1(one, gold) for one in said) for gold in wanted]
    return sum(best) / len(best)


def first_part(answer: str) -> str:
    """Return an answer up to its first semicolon, behind which others give reasons."""
    return answer.partition(";")[0].strip()


def declines(prediction: str) -> float:
    """Return 1 where a prediction says, in one of two phrases, that nothing is known of it."""
    lowered = prediction.lower()
    return float(any(phrase in lowered for phrase in _DECLINED))


def locomo_f1(prediction: str, answers: Sequence[str], category: str | None) -> float:
    """Return the published value of a prediction, from 0 to 1.

    Args:
        prediction: the prediction.
        answers: the gold, one text.
        category: ``multi-hop``, ``temporal``, ``open-domain``, ``single-hop`` or ``adversarial``;
            None is taken for one of those with the plain F1.
    """
    if category == "adversarial":
        return declines(prediction)
    if category == "multi-hop":
        return max(several_f1(prediction, answer) for answer in answers)
    if category == "open-domain":
        return max(stem_f1(prediction, first_part(answer)) for answer in answers)
    return max(stem_f1(prediction, answer) for answer in answers)


def _stems(text: str) -> list[str]:
    bare = _ARTICLES.sub(" ", text.translate(_SIGNS).lower())
    return [_stem(word) for word in bare.split()]


@cache
def _stemmer() -> Callable[[str], str]:
    with import_lock:  # Takes a while, so only when it is used.
        from nltk.stem.porter import PorterStemmer

    stem: Callable[[str], str] = PorterStemmer().stem
    return stem


@lru_cache(maxsize=100_000)
def _stem(word: str) -> str:
    return _stemmer()(word)
