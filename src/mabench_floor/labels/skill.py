"""The skill: labels texts as labelled texts were shown."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache

from mabench.contract.interfaces import Answer, Query
from mabench_floor.labels.classifier import Classifier
from mabench_floor.labels.demonstrations import Demonstration, demonstrations_in
from mabench_floor.labels.features import word_features
from mabench_floor.skill import History

_NEAREST = 100
_SHORT = 5  # What is added to the features of a text, so that very short ones are not nearest.


class LabelSkill:
    """Answers with the bare value of the label that the text in question should have."""

    def __init__(self, classifier: Classifier) -> None:
        self._classifier = classifier

    def answer(self, query: Query) -> Answer:
        """Label ``query.question``."""
        return Answer(self._classifier.value(query.question))


class NearestLabelSkill:
    """The same for one question: learns from the 100 demonstrations nearest to it alone.

    A support vector machine over neighbours (Zhang and others, 2006, SVM-KNN) takes hundredths
    of a second where one over all demonstrations takes seconds.
    """

    def __init__(self, demonstrations: Sequence[Demonstration]) -> None:
        self._demonstrations = demonstrations

    def answer(self, query: Query) -> Answer:
        """Label ``query.question``."""
        near = nearest(query.question, self._demonstrations)
        return Answer(Classifier(near, tuned=False).value(query.question))


def nearest(text: str, demonstrations: Sequence[Demonstration]) -> list[Demonstration]:
    """Return the 100 demonstrations that share most with ``text``, the nearest first.

    They share words, their stems and pairs of neighbours, which weigh by their rarity (that of
    BM25); the sum is divided by the square root of the demonstration's length.
    """
    features = _features(text)
    shared = [_features(one.text) & features for one in demonstrations]
    counts = Counter(feature for own in shared for feature in own)
    size = len(demonstrations)
    rarity = {f: math.log1p((size - n + 0.5) / (n + 0.5)) for f, n in counts.items()}

    def nearness(place: int) -> float:
        length = len(_features(demonstrations[place].text)) + _SHORT
        return math.fsum(map(rarity.__getitem__, shared[place])) / math.sqrt(length)

    places = sorted(range(size), key=nearness, reverse=True)
    return [demonstrations[place] for place in places[:_NEAREST]]


@lru_cache(maxsize=20_000)
def _features(text: str) -> frozenset[str]:
    return frozenset(word_features(text))


def learn(history: History) -> LabelSkill | NearestLabelSkill | None:
    """Learn from the demonstrations in ``history``; None when it does not consist of such."""
    shown = demonstrations_in(history.text)
    if shown and history.passages:
        return NearestLabelSkill(shown)
    return LabelSkill(Classifier(shown, history.embedder)) if shown else None
