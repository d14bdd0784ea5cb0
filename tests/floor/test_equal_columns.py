from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.sparse import csr_matrix
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.svm import LinearSVC

from mabench_floor.equal_columns import joining
from mabench_floor.labels.classifier import Classifier, Demonstration, LetterVectorizer

_FEW = st.sampled_from([0.0, 0.3, 1.0])
_TEXTS = st.lists(st.text("aAbß .,\t\nÉ1", min_size=1), min_size=1, max_size=6)


@given(arrays(float, (4, 12), elements=_FEW), arrays(float, (2, 12), elements=_FEW))
def test_products_stay_the_same_with_equal_columns_as_one(
    shown: np.ndarray, others: np.ndarray
) -> None:
    joined = joining(csr_matrix(shown))
    less = shown @ joined
    assert less.shape[1] == len(np.unique(shown, axis=1).T)
    np.testing.assert_allclose(less @ less.T, shown @ shown.T, atol=1e-12)
    np.testing.assert_allclose((others @ joined) @ less.T, others @ shown.T, atol=1e-12)


@given(_TEXTS, _TEXTS)
def test_runs_of_letters_are_weighed_as_scikit_learn_does(
    shown: list[str], others: list[str]
) -> None:
    shown = [*shown, "any words"]
    theirs = TfidfVectorizer(analyzer="char_wb", ngram_range=(2, 5), sublinear_tf=True)
    own = LetterVectorizer()
    np.testing.assert_allclose(
        own.fit_transform(shown).toarray(), theirs.fit_transform(shown).toarray()
    )
    np.testing.assert_allclose(own.transform(others).toarray(), theirs.transform(others).toarray())


@pytest.mark.parametrize(("by_capitals", "trainings"), [(False, 7), (True, 4)])
def test_weights_are_tried_again_only_where_none_are_clearly_better(
    by_capitals: bool, trainings: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    # How the texts are built tells capitals. With a word for each label all weights do as well.
    rng, trained, fit = Random(1), [0], LinearSVC.fit

    def counted(machine: LinearSVC, *data: Any) -> LinearSVC:
        trained[0] += 1
        return fit(machine, *data)

    monkeypatch.setattr(LinearSVC, "fit", counted)
    shown = []
    for number in range(60):
        text = " ".join(f"word{rng.randrange(10**6)}" for _ in range(12))
        label = number % 2
        told = f"so {text.upper() if label else text}" if by_capitals else f"is{label} {text}"
        shown.append(Demonstration(told, str(label)))
    Classifier(shown)
    assert trained == [trainings]
