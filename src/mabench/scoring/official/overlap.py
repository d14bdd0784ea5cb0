"""Matches of normalised strings: exact, as a substring, and by shared tokens (SQuAD's measures)."""

from __future__ import annotations

import re
import string
from collections import Counter
from functools import lru_cache

_ARTICLES = re.compile(r"\b(?:a|an|the)\b")
_NO_PUNCTUATION = str.maketrans("", "", string.punctuation)
_ALL_OR_NOTHING = frozenset({"yes", "no", "noanswer"})


@lru_cache(maxsize=8192)
def normalize(text: str) -> str:
    """Lower ``text``, delete ASCII punctuation and English articles, squeeze white space.

    Punctuation leaves no space behind (``vice-president`` becomes ``vicepresident``) and
    typographic quotes stay, as in the published scorer.
    """
    bare = text.lower().translate(_NO_PUNCTUATION)
    return " ".join(_ARTICLES.sub(" ", bare).split())


def exact_match(prediction: str, answer: str) -> bool:
    """Say whether the two are equal once normalised."""
    return normalize(prediction) == normalize(answer)


def substring_exact_match(prediction: str, answer: str) -> bool:
    """Say whether the normalised answer stands anywhere in the normalised prediction.

    Word boundaries play no part, and an answer that normalises to nothing stands everywhere.
    """
    return normalize(answer) in normalize(prediction)


def f1(prediction: str, answer: str) -> float:
    """Return the harmonic mean of token precision and recall, from 0 to 1.

    When one side is yes, no or noanswer, the other must be the same or the score is 0.
    """
    found, wanted = normalize(prediction), normalize(answer)
    if found != wanted and not _ALL_OR_NOTHING.isdisjoint((found, wanted)):
        return 0.0
    found_tokens, wanted_tokens = found.split(), wanted.split()
    shared = (Counter(found_tokens) & Counter(wanted_tokens)).total()
    if not shared:
        return 0.0
    precision, recall = shared / len(found_tokens), shared / len(wanted_tokens)
    return 2 * precision * recall / (precision + recall)
