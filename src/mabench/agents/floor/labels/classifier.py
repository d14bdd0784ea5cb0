"""A linear classifier of short texts, learnt from demonstrations."""

from __future__ import annotations

import warnings
from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from mabench.agents.floor.equal_columns import joining
from mabench.agents.floor.labels.demonstrations import Demonstration
from mabench.agents.floor.labels.features import vectorizers
from mabench.models import Embedder
from mabench.text.stems import tokens

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

Weights = tuple[float, ...]

_STRENGTH = 2.0  # The weight of errors, beside that of a wide margin.
_TOLERANCE = 0.01  # Where the solver stops; finer steps change no label that matters.
_SPLITS = 2
# The demonstrations of a split that weights are tried on, at most. It learns from all others,
# from fewer where there are many labels: as many as make this number, times the labels.
_TRIED, _EFFORT = 1_000, 150_000
_FEWEST_KNOWN = 1_000
_TRIED_SHARE = 0.2
_CLEAR = 2  # Standard errors by which weights lead that need no further split.
# How the kinds of features are weighed: words, letters, what is asked for, form.
_CHOICES: tuple[Weights, ...] = ((1.0, 1.0, 0.3, 0.1), (1.0, 0.5, 0.7, 0.7))


class Classifier:
    """Labels texts as the demonstrations do.

    A text that was shown has the value most often shown with it. For others, a linear support
    vector machine (one class against the rest, by scikit-learn and liblinear) decides by the
    words, the letters, what the text asks for and how it is built. How these are weighed
    against each other is chosen by trying it on demonstrations set aside; with an embedding
    model, the coordinates of a text's meaning stand beside them.

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
        from scipy.sparse import csr_matrix

        return [csr_matrix(self._embedder.embed(texts))] if self._embedder else []


def _fitted(features: csr_matrix, values: Sequence[str]) -> Any:
    from sklearn.svm import LinearSVC

    with warnings.catch_warnings():
        # Few texts may have many labels, which scikit-learn takes for a mistake.
        warnings.filterwarnings("ignore", message="The number of unique classes")
        machine = LinearSVC(C=_STRENGTH, tol=_TOLERANCE, dual=True, random_state=0)
        return machine.fit(features, values)


def _best_weights(
    kinds: Sequence[csr_matrix], meanings: Sequence[csr_matrix], values: Sequence[str]
) -> Weights:
    """Return the weights that label most of what is set aside as it was shown.

    Another split is tried only while the best are not clearly ahead of all others: by twice the
    standard error, which is the square root of the number of texts that one labels well and the
    other does not.
    """
    import numpy as np
    from sklearn.model_selection import ShuffleSplit

    labels = np.array(values)
    tried = min(_TRIED, max(1, round(_TRIED_SHARE * len(labels))))
    effort = max(_FEWEST_KNOWN, _EFFORT // len({*values}))
    known = min(effort, len(labels) - tried)
    chance = ShuffleSplit(_SPLITS, test_size=tried, train_size=known, random_state=0)
    weighed = [_weighed(kinds, weights, meanings) for weights in _CHOICES]
    total = np.zeros(len(_CHOICES), dtype=int)
    for shown, asked in chance.split(labels):
        if len({*labels[shown]}) == 1:
            continue
        machines = [_fitted(features[shown], labels[shown]) for features in weighed]
        right = np.array([m.predict(f[asked]) for m, f in zip(machines, weighed, strict=True)])
        right = (right == labels[asked]).astype(int)
        total += right.sum(axis=1)
        lead = right[total.argmax()] - right
        clear = lead.sum(axis=1) > _CLEAR * np.sqrt(np.abs(lead).sum(axis=1))
        if clear.sum() == len(_CHOICES) - 1:
            break
    return _CHOICES[total.argmax()]


def _weighed(
    kinds: Sequence[csr_matrix], weights: Weights, meanings: Sequence[csr_matrix]
) -> csr_matrix:
    """Return the kinds of features side by side, each times its weight, meanings behind."""
    from scipy.sparse import hstack

    weighed = [kind * weight for kind, weight in zip(kinds, weights, strict=True)]
    return hstack([*weighed, *meanings]).tocsr()


def _values_by_words(demonstrations: Sequence[Demonstration]) -> dict[str, str]:
    values: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for shown in demonstrations:
        values[_key(shown.text)][shown.value] += 1
    return {key: counts.most_common(1)[0][0] for key, counts in values.items()}


def _key(text: str) -> str:
    """Return the form in which texts are the same: no case, marks or white space."""
    return " ".join(tokens(text)) or text.strip()
