"""A linear classifier of short texts, learnt from demonstrations."""

from __future__ import annotations

import re
import warnings
from collections import Counter, defaultdict
from collections.abc import Sequence
from itertools import compress, pairwise
from typing import TYPE_CHECKING, Any

from mabench.agents.floor.labels.demonstrations import Demonstration
from mabench.models import Embedder
from mabench.text.stems import stem, tokens

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

# Marks that tell one kind of sentence from another stand beside the words.
_TOKEN = re.compile(r"[^\W_]+|[?!$%'`]")
_INTERROGATIVES = frozenset(
    ("what", "which", "who", "whom", "whose", "how", "where", "when", "why")
)
_ASKED = 5  # Words after an interrogative that may say what it asks for.
_LETTERS = (2, 5)
_STRENGTH = 2.0  # The weight of errors, beside that of a wide margin.
_SPLITS = 2
_TRIED = 0.2  # The share of the demonstrations that is set aside to try features on.
# Which of the kinds of features are used: words, letters, questions.
_CHOICES = ((True, False, False), (True, True, False), (True, False, True))


class Classifier:
    """Labels texts as the demonstrations do.

    A text that was shown has the value most often shown with it. For others, a linear support
    vector machine (one class against the rest, by scikit-learn and liblinear) decides by words
    alone, by words and runs of letters or by words and what the text asks for, whichever does
    best on demonstrations set aside. Features are weighed by tf-idf; with an embedding model,
    the coordinates of a text's meaning stand beside them.

    Args:
        demonstrations: at least one.
        embedder: the embedding model, if there is one.
        tuned: whether to choose the features; words alone otherwise, at a fifth of the time.
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
            self._vectorizers = _vectorizers() if tuned else _vectorizers()[:1]
            kinds = [vectorizer.fit_transform(texts) for vectorizer in self._vectorizers]
            meanings = self._meanings(texts)
            self._choice = _best_choice(kinds, meanings, values) if tuned else (True,)
            features = _side_by_side([*compress(kinds, self._choice), *meanings])
            self._machine = _fitted(features, values)

    def value(self, text: str) -> str:
        """Return the value of the label that ``text`` should have."""
        seen = self._seen.get(_key(text))
        if seen or self._value is not None:
            return seen or str(self._value)
        kinds = [vectorizer.transform([text]) for vectorizer in self._vectorizers]
        features = _side_by_side([*compress(kinds, self._choice), *self._meanings([text])])
        return str(self._machine.predict(features)[0])

    def _meanings(self, texts: Sequence[str]) -> list[csr_matrix]:
        """Return the matrix of what texts mean; none without an embedding model."""
        from scipy.sparse import csr_matrix

        return [csr_matrix(self._embedder.embed(texts))] if self._embedder else []


def _vectorizers() -> list[Any]:
    from sklearn.feature_extraction.text import TfidfVectorizer

    return [
        TfidfVectorizer(analyzer=word_features, sublinear_tf=True),
        TfidfVectorizer(analyzer="char_wb", ngram_range=_LETTERS, sublinear_tf=True),
        TfidfVectorizer(analyzer=_question_features, sublinear_tf=True),
    ]


def _fitted(features: csr_matrix, values: Sequence[str]) -> Any:
    from sklearn.svm import LinearSVC

    with warnings.catch_warnings():
        # Few texts may have many labels, which scikit-learn takes for a mistake.
        warnings.filterwarnings("ignore", message="The number of unique classes")
        return LinearSVC(C=_STRENGTH, random_state=0).fit(features, values)


def _best_choice(
    kinds: Sequence[csr_matrix], meanings: Sequence[csr_matrix], values: Sequence[str]
) -> tuple[bool, ...]:
    """Return the kinds of features that label most of what is set aside as it was shown."""
    import numpy as np
    from sklearn.model_selection import ShuffleSplit

    labels = np.array(values)
    splits = list(ShuffleSplit(_SPLITS, test_size=_TRIED, random_state=0).split(labels))
    splits = [(known, tried) for known, tried in splits if len({*labels[known]}) > 1]

    def right(choice: tuple[bool, ...]) -> int:
        features = _side_by_side([*compress(kinds, choice), *meanings])
        count = 0
        for known, tried in splits:
            machine = _fitted(features[known], labels[known])
            count += int(np.sum(machine.predict(features[tried]) == labels[tried]))
        return count

    return max(_CHOICES, key=right)


def _side_by_side(kinds: Sequence[csr_matrix]) -> csr_matrix:
    from scipy.sparse import hstack

    return hstack(kinds).tocsr()


def _values_by_words(demonstrations: Sequence[Demonstration]) -> dict[str, str]:
    values: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for shown in demonstrations:
        values[_key(shown.text)][shown.value] += 1
    return {key: counts.most_common(1)[0][0] for key, counts in values.items()}


def _key(text: str) -> str:
    """Return the form in which texts are the same: no case, marks or white space."""
    return " ".join(tokens(text)) or text.strip()


def word_features(text: str) -> list[str]:
    """Return the words of ``text``, their stems, and pairs of neighbours with both ends marked."""
    words = _words(text)
    pairs = [f"{one} {two}" for one, two in pairwise(["^", *words, "$"])]
    return [*words, *(f"~{stem(word)}" for word in words), *pairs]


def _question_features(text: str) -> list[str]:
    """Return the first interrogative of ``text`` (else its first word) with each word after it."""
    words = _words(text)
    place = next((i for i, word in enumerate(words) if word in _INTERROGATIVES), 0)
    return [f"{words[place]} ~{stem(word)}" for word in words[place + 1 : place + 1 + _ASKED]]


def _words(text: str) -> list[str]:
    return _TOKEN.findall(text.lower())
