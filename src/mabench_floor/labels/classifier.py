"""A linear classifier of short texts, learned from labelled examples.

It takes scikit-learn, which takes long to import: only a history of labelled texts needs it.
"""

from __future__ import annotations

import math
import threading
import warnings
from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy.sparse import csr_matrix, hstack
from sklearn.feature_extraction.text import CountVectorizer, TfidfTransformer, TfidfVectorizer
from sklearn.svm import LinearSVC

from mabench.models import Embedder
from mabench.text.stems import tokens
from mabench_floor.equal_columns import joining
from mabench_floor.labels.features import (
    Demonstration,
    asked_features,
    form_features,
    pair_features,
    word_features,
)

_Weights = tuple[float, ...]

# These numbers are plain choices. The weight of errors, relative to that of a wide margin.
_STRENGTH = 2.0
# Where the solver stops; finer steps change no label that matters. Trials need no more than rough.
_TOLERANCE, _ROUGH = 0.03, 0.1
_SPLITS = 2
# A trial takes demonstrations times labels of this number; of those, it sets aside a share, at
# most ``_TRIED``, and learns from the others.
_EFFORT = 150_000
_TRIED_SHARE, _TRIED = 0.2, 1_000
_FEWEST_LABELS = 2
# Standard errors behind the best from which on weights are not tried again.
_CLEAR = 2
# How the kinds of features are weighed: words, letters, what is asked for, form, pairs. Plain
# choices in quarters; cross-validation within the history chooses among them.
_CHOICES: tuple[_Weights, ...] = (
    (1.0, 1.0, 0.25, 0.0, 0.5),
    (1.0, 0.5, 0.75, 0.75, 0.0),
    (1.0, 0.5, 0.0, 0.0, 0.5),
)

_LETTERS = (2, 5)  # The lengths of runs of letters.

# All machines of a process draw on one sequence of random numbers (liblinear's), and so do
# warnings on one list of filters: two that are trained at the same time come out otherwise.
_TRAINING = threading.Lock()


class Classifier:
    """Labels texts like the examples that it learned from.

    A text that was among the examples gets the label that it had most often. For others, a linear
    support vector machine (one class against the rest, by scikit-learn and liblinear) decides by
    words, letters, what the text asks for, its form, and words near each other. The weights of
    these are chosen by trial on examples that were set aside. With an embedding model, the
    coordinates of a text's meaning are features, too.

    Args:
        demonstrations: at least one.
        embedder: the embedding model, if there is one.
        tuned: whether to choose the weights; otherwise only words are used, in a tenth of the time.
    """

    def __init__(
        self,
        demonstrations: Sequence[Demonstration],
        embedder: Embedder | None = None,
        *,
        tuned: bool = True,
    ) -> None:
        self._embedder = embedder
        self._seen = _values_by_words(demonstrations)
        # Texts that are shown again count once: they would be on both sides of a split.
        shown = list(dict(demonstrations).items())
        texts, values = [text for text, _ in shown], [value for _, value in shown]
        self._only_value = values[0] if len({*values}) == 1 else None
        if self._only_value is None:
            self._vectorizers = _vectorizers() if tuned else _vectorizers()[:1]
            kinds: list[csr_matrix] = []
            self._joinings: list[csr_matrix] = []
            for vectorizer in self._vectorizers:
                features = vectorizer.fit_transform(texts)
                join = joining(features)
                kinds.append(features @ join)
                self._joinings.append(join)
            meanings = self._meanings(texts)
            self._weights = _best_weights(kinds, meanings, values) if tuned else (1.0,)
            self._machine = _fitted(_weighed(kinds, self._weights, meanings), values)

    def value(self, text: str) -> str:
        """Return the value of the label for a text."""
        seen = self._seen.get(_key(text))
        if seen:
            return seen
        if self._only_value is not None:
            return self._only_value
        kinds: list[csr_matrix] = [
            vectorizer.transform([text]) @ join
            for vectorizer, join in zip(self._vectorizers, self._joinings, strict=True)
        ]
        features = _weighed(kinds, self._weights, self._meanings([text]))
        return str(self._machine.predict(features)[0])

    def _meanings(self, texts: Sequence[str]) -> list[csr_matrix]:
        """Return the matrix of embeddings of texts; an empty list without an embedding model."""
        return [csr_matrix(self._embedder.embed(texts))] if self._embedder else []


def _fitted(features: csr_matrix, values: Sequence[str], tolerance: float = _TOLERANCE) -> Any:
    """Return a machine that is trained on rows of features, each with its value."""
    with _TRAINING, warnings.catch_warnings():
        # Few texts may have many labels, which scikit-learn takes for a mistake.
        warnings.filterwarnings("ignore", message="The number of unique classes")
        machine = LinearSVC(C=_STRENGTH, tol=tolerance, dual=True, random_state=0)
        return machine.fit(features, values)


def _best_weights(
    kinds: Sequence[csr_matrix], meanings: Sequence[csr_matrix], values: Sequence[str]
) -> _Weights:
    """Return the weights with which most of the examples set aside get their own label.

    Weights that are clearly behind the best are not tried again. "Clearly" is twice the standard
    error: the square root of the number of texts that only one of the two labels well.
    """
    labels = np.array(values)
    chance = np.random.default_rng(0)
    weighed = [_weighed(kinds, weights, meanings) for weights in _CHOICES]
    # The choices that are still tried, and how many texts each has labelled well.
    tried = np.arange(len(_CHOICES))
    right = np.zeros(len(_CHOICES), dtype=int)
    for _ in range(_SPLITS):
        shown, asked = _split(labels, chance)
        if len(tried) == 1 or len({*labels[shown]}) == 1:
            continue
        predicted = []
        for choice in tried:
            machine = _fitted(weighed[choice][shown], labels[shown], _ROUGH)
            predicted.append(machine.predict(weighed[choice][asked]))
        is_right = (np.array(predicted) == labels[asked]).astype(int)  # Choices by texts.
        right[tried] += is_right.sum(axis=1)
        is_right_with_best = is_right[right[tried].argmax()]
        lead_of_best = is_right_with_best - is_right  # 1 where only it is right, -1 where only not.
        standard_error = np.sqrt(np.abs(lead_of_best).sum(axis=1))
        tried = tried[lead_of_best.sum(axis=1) <= _CLEAR * standard_error]
    return _CHOICES[tried[right[tried].argmax()]]


def _split(labels: Any, chance: Any) -> tuple[Any, Any]:
    """Return the places of examples to learn from in a trial, and of those to test on.

    If all would take too long, some labels are left out completely, and the others keep all their
    examples. With fewer examples of each label, letters would look better than they are in the end,
    and rare words and pairs of words worse.
    """
    different = np.unique(labels)
    # With n labels there are about n * len(labels) / len(different) examples. A trial takes n times
    # that, so this is the largest n within ``_EFFORT``.
    most = math.isqrt(_EFFORT * len(different) // len(labels))
    some = chance.permutation(different)[: max(_FEWEST_LABELS, most)]
    places = chance.permutation(np.flatnonzero(np.isin(labels, some)))
    set_aside = min(_TRIED, max(1, round(_TRIED_SHARE * len(places))))
    return places[set_aside:], places[:set_aside]


def _weighed(
    kinds: Sequence[csr_matrix], weights: _Weights, meanings: Sequence[csr_matrix]
) -> csr_matrix:
    """Return all kinds of features in one matrix, each times its weight, with embeddings last."""
    weighed = [kind * weight for kind, weight in zip(kinds, weights, strict=True) if weight]
    return hstack([*weighed, *meanings]).tocsr()


def _values_by_words(demonstrations: Sequence[Demonstration]) -> dict[str, str]:
    """Return the most frequent value of each text, by the form in which texts are compared."""
    values: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for shown in demonstrations:
        values[_key(shown.text)][shown.value] += 1
    return {key: counts.most_common(1)[0][0] for key, counts in values.items()}


def _key(text: str) -> str:
    """Return the form in which texts are compared: no case or marks, and single spaces."""
    return " ".join(tokens(text)) or text.strip()


def _vectorizers() -> list[Any]:
    """Return the vectorizer of each kind of features, weighted by tf-idf; words come first."""
    kinds = (word_features, asked_features, form_features, pair_features)
    words, *others = (TfidfVectorizer(analyzer=kind, sublinear_tf=True) for kind in kinds)
    return [words, LetterVectorizer(), *others]


class LetterVectorizer:
    """Does what scikit-learn's ``TfidfVectorizer`` does with letters, in a third of the time.

    The runs of letters in a word are found once, and not for each text with the word.
    """

    def __init__(self) -> None:
        self._words = CountVectorizer(analyzer=lambda text: text.lower().split())
        self._letters = CountVectorizer(analyzer="char_wb", ngram_range=_LETTERS)
        self._weights = TfidfTransformer(sublinear_tf=True)

    def fit_transform(self, texts: Sequence[str]) -> csr_matrix:
        """Learn the runs of letters in texts; return their weights, texts by runs."""
        words = self._words.fit_transform(texts)
        runs = self._letters.fit_transform(self._words.get_feature_names_out())
        return self._weights.fit_transform(words @ runs)

    def transform(self, texts: Sequence[str]) -> csr_matrix:
        """Return the weights of the learned runs of letters, texts by runs."""
        return self._weights.transform(self._letters.transform(texts))
