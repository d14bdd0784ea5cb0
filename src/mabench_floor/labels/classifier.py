"""A linear classifier of short texts, learnt from demonstrations."""

from __future__ import annotations

import math
import threading
import warnings
from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy.sparse import csr_matrix, hstack
from sklearn.svm import LinearSVC

from mabench.models import Embedder
from mabench.text.stems import tokens
from mabench_floor.equal_columns import joining
from mabench_floor.labels.demonstrations import Demonstration
from mabench_floor.labels.features import vectorizers

Weights = tuple[float, ...]

# Plain choices, as those below.
_STRENGTH = 2.0  # The weight of errors, beside that of a wide margin.
# Where the solver stops; finer steps change no label that matters. Trials need no more than rough.
_TOLERANCE, _ROUGH = 0.03, 0.1
_SPLITS = 2
# A trial takes demonstrations times labels of this number; of those, it sets aside a share, at
# most so many, and learns from the others.
_EFFORT = 150_000
_TRIED_SHARE, _TRIED = 0.2, 1_000
_FEWEST_LABELS = 2
_CLEAR = 2  # Standard errors by which weights are behind that need no further split.
# How the kinds of features are weighed: words, letters, what is asked for, form, pairs. Plain
# choices in quarters; cross-validation within the history chooses among them.
_CHOICES: tuple[Weights, ...] = (
    (1.0, 1.0, 0.25, 0.0, 0.5),
    (1.0, 0.5, 0.75, 0.75, 0.0),
    (1.0, 0.5, 0.0, 0.0, 0.5),
)


# All machines of a process draw on one sequence of random numbers (liblinear's), and so do
# warnings on one list of filters: two that are trained at the same time come out otherwise.
_TRAINING = threading.Lock()


class Classifier:
    """Labels texts as the demonstrations do.

    A text that was shown has the value most often shown with it. For others, a linear support
    vector machine (one class against the rest, by scikit-learn and liblinear) decides by the
    words, the letters, what the text asks for, how it is built, and which words stand near each
    other. How these are weighed is chosen by trying it on demonstrations set aside; with an
    embedding model, the coordinates of a text's meaning stand beside them.

    Args:
        demonstrations: at least one.
        embedder: the embedding model, if there is one.
        tuned: whether to choose the weights; words alone otherwise, at a tenth of the time.
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
        # Texts that are shown again count once: they would stand on both sides of a split.
        shown = list(dict(demonstrations).items())
        texts, values = [text for text, _ in shown], [value for _, value in shown]
        self._value = values[0] if len({*values}) == 1 else None
        if self._value is None:
            self._vectorizers = vectorizers() if tuned else vectorizers()[:1]
            kinds = [vectorizer.fit_transform(texts) for vectorizer in self._vectorizers]
            self._joinings = [joining(kind) for kind in kinds]
            kinds = [kind @ joined for kind, joined in zip(kinds, self._joinings, strict=True)]
            meanings = self._meanings(texts)
            self._weights = _best_weights(kinds, meanings, values) if tuned else (1.0,)
            self._machine = _fitted(_weighed(kinds, self._weights, meanings), values)

    def value(self, text: str) -> str:
        """Return the value of the label that ``text`` should have."""
        seen = self._seen.get(_key(text))
        if seen or self._value is not None:
            return seen or str(self._value)
        kinds = [
            vectorizer.transform([text]) @ joined
            for vectorizer, joined in zip(self._vectorizers, self._joinings, strict=True)
        ]
        features = _weighed(kinds, self._weights, self._meanings([text]))
        return str(self._machine.predict(features)[0])

    def _meanings(self, texts: Sequence[str]) -> list[csr_matrix]:
        """Return the matrix of what texts mean; none without an embedding model."""
        return [csr_matrix(self._embedder.embed(texts))] if self._embedder else []


def _fitted(features: csr_matrix, values: Sequence[str], tolerance: float = _TOLERANCE) -> Any:
    with _TRAINING, warnings.catch_warnings():
        # Few texts may have many labels, which scikit-learn takes for a mistake.
        warnings.filterwarnings("ignore", message="The number of unique classes")
        machine = LinearSVC(C=_STRENGTH, tol=tolerance, dual=True, random_state=0)
        return machine.fit(features, values)


def _best_weights(
    kinds: Sequence[csr_matrix], meanings: Sequence[csr_matrix], values: Sequence[str]
) -> Weights:
    """Return the weights that label most of what is set aside as it was shown.

    Weights that are clearly behind the best are not tried again: by twice the standard error,
    which is the square root of the number of texts that one labels well and the other does not.
    """
    labels = np.array(values)
    chance = np.random.default_rng(0)
    weighed = [_weighed(kinds, weights, meanings) for weights in _CHOICES]
    left = np.arange(len(_CHOICES))
    total = np.zeros(len(_CHOICES), dtype=int)
    for _ in range(_SPLITS):
        shown, asked = _split(labels, chance)
        if len(left) == 1 or len({*labels[shown]}) == 1:
            continue
        machines = [_fitted(weighed[i][shown], labels[shown], _ROUGH) for i in left]
        given = [m.predict(weighed[i][asked]) for m, i in zip(machines, left, strict=True)]
        right = (np.array(given) == labels[asked]).astype(int)
        total[left] += right.sum(axis=1)
        lead = right[total[left].argmax()] - right
        left = left[lead.sum(axis=1) <= _CLEAR * np.sqrt(np.abs(lead).sum(axis=1))]
    return _CHOICES[left[total[left].argmax()]]


def _split(labels: Any, chance: Any) -> tuple[Any, Any]:
    """Return places of demonstrations to learn from in a trial, and of those to try on.

    Where all would take too long, some labels are left out as a whole. The others keep all
    their demonstrations: with fewer of each, letters look better, and what is found in rare
    words and pairs of words looks worse, than it is in the end.
    """
    different = np.unique(labels)
    most = math.isqrt(_EFFORT * len(different) // len(labels))
    some = chance.permutation(different)[: max(_FEWEST_LABELS, most)]
    places = chance.permutation(np.flatnonzero(np.isin(labels, some)))
    tried = min(_TRIED, max(1, round(_TRIED_SHARE * len(places))))
    return places[tried:], places[:tried]


def _weighed(
    kinds: Sequence[csr_matrix], weights: Weights, meanings: Sequence[csr_matrix]
) -> csr_matrix:
    """Return the kinds of features side by side, each times its weight, meanings behind."""
    weighed = [kind * weight for kind, weight in zip(kinds, weights, strict=True) if weight]
    return hstack([*weighed, *meanings]).tocsr()


def _values_by_words(demonstrations: Sequence[Demonstration]) -> dict[str, str]:
    values: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for shown in demonstrations:
        values[_key(shown.text)][shown.value] += 1
    return {key: counts.most_common(1)[0][0] for key, counts in values.items()}


def _key(text: str) -> str:
    """Return the form in which texts are the same: no case, marks or white space."""
    return " ".join(tokens(text)) or text.strip()
