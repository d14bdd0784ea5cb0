"""A task from demonstrations: what they show is learnt, and told from what is none."""

import re
from collections.abc import Callable, Sequence
from itertools import product
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.sparse import csr_matrix
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.pipeline import make_pipeline, make_union
from sklearn.svm import LinearSVC

from mabench_floor.equal_columns import joining
from mabench_floor.labels.classifier import Classifier, LetterVectorizer
from mabench_floor.labels.features import Demonstration
from mabench_floor.labels.skill import demonstrations_in
from tests.floor.informed import WAYS, told
from tests.synthetic.families.icl_solver import CLASSES, demonstrations, icl_row

_Pair = tuple[str, str]
SHOWN = icl_row("icl_trec_coarse_6600shot_balance", 3, tokens=2_000, questions=1).context


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("shown", [r"label: \1", r"Intent: no. \1 query"])
def test_classes_never_seen_before_are_learnt(way: Callable[[str], list[str]], shown: str) -> None:
    row = icl_row("icl_trec_coarse_6600shot_balance", 3, tokens=8_000)
    reply = told(way(re.sub(r"label: (\d+)", shown, row.context)))
    given = [re.sub(r"\D", "", reply(text)) for text in row.questions]
    assert sum(map(list.__contains__, row.answers, given)) >= 0.7 * len(given)


def test_words_that_stand_apart_are_told_together_better_than_plain_machines_do() -> None:
    shown, asked = _wishes(0)
    assert _right(shown, asked) >= max(_plainly_right(shown, asked))


@pytest.mark.slow
@pytest.mark.parametrize("source", CLASSES)
def test_made_up_rows_are_labelled_as_well_as_by_plain_machines(source: str) -> None:
    row = icl_row(source, seed=1, tokens=None, questions=500)
    asked = [(text, gold) for text, (gold,) in zip(row.questions, row.answers, strict=True)]
    shown = [(one.text, one.value) for one in demonstrations(row)]
    # A point below the best of three is chance.
    assert _right(shown, asked) >= max(_plainly_right(shown, asked)) - 0.01 * len(asked)


@pytest.mark.parametrize("way", WAYS)
def test_a_text_that_was_shown_has_the_label_most_often_shown_with_it(
    way: Callable[[str], list[str]],
) -> None:
    again = "".join(f"may I sing? #1\nlabel: {value}\n\n" for value in (98, 99, 99))
    assert told(way(f"{SHOWN}\n\n{again}"))("May I SING? #1") == "99"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "".join(f"A plain text.\n\nAnd then, note: thing {i}.\n\n" for i in range(20)),
        "User: which film do you like best, if any?\nSystem: I like them all very much.\n\n" * 20,
        "".join(f"Where is town {i}?\nanswer: place {i}\n\n" for i in range(30)),
        "label: 7\n\n" * 30,
    ],
)
def test_what_is_no_demonstration_is_told_apart(text: str) -> None:
    assert demonstrations_in(text) == []


def test_demonstrations_are_read_though_line_breaks_are_lost_and_a_class_may_be_the_only_one() -> (
    None
):
    shown = demonstrations_in(SHOWN)
    assert shown == demonstrations_in(" ".join(SHOWN.split()))
    assert len(shown) == SHOWN.count("label: ")
    assert told(["".join(f"text number {i}\nlabel: 3\n\n" for i in range(20))])("any") == "3"


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


def _right(shown: Sequence[_Pair], asked: Sequence[_Pair]) -> int:
    """Return how many texts the floor labels well."""
    reply = told(["".join(f"{text}\nlabel: {value}\n\n" for text, value in shown)])
    return sum(reply(text) == value for text, value in asked)


def _plainly_right(shown: Sequence[_Pair], asked: Sequence[_Pair]) -> list[int]:
    """Return the same for support vector machines over words, over letters, and over both."""
    words, letters = (
        TfidfVectorizer(ngram_range=(1, 2)),
        TfidfVectorizer(analyzer="char_wb", ngram_range=(2, 5)),
    )
    texts, values = zip(*shown, strict=True)
    given = []
    for features in (words, letters, make_union(words, letters)):
        machine = make_pipeline(features, LinearSVC(random_state=0)).fit(texts, values)
        given.append(machine.predict([text for text, _ in asked]))
    return [sum(a == b for a, (_, b) in zip(got, asked, strict=True)) for got in given]


# Words without content, which say nothing of a class.
_BETWEEN = ("the", "my", "to", "with", "of", "is", "for", "a", "and", "on", "it", "has", "this")
_SYLLABLES = ("ba", "do", "fen", "gul", "hes", "ki", "lor", "mu", "nat", "pol", "rin", "sev")


def _wishes(seed: int) -> tuple[list[_Pair], list[_Pair]]:
    """Return texts of 25 classes, ten of each, and others of the same classes.

    A class is what is wanted, and of which thing. Each is said by one of two made-up words. The
    two stand apart, in either order, and now and then others stand between them.
    """
    rng = Random(seed)
    made = iter(rng.sample(["".join(p) for p in product(_SYLLABLES, repeat=2)], 32))
    wants, things = ([[next(made), next(made)] for _ in range(5)] for _ in range(2))
    strays = [*made, *(word for words in (*wants, *things) for word in words)]

    def between(fewest: int, most: int) -> list[str]:
        kinds = rng.choices((_BETWEEN, strays), (0.85, 0.15), k=rng.randint(fewest, most))
        return [rng.choice(kind) for kind in kinds]

    def wish(want: int, thing: int) -> str:
        one, other = rng.sample((rng.choice(wants[want]), rng.choice(things[thing])), 2)
        return " ".join((*between(1, 3), one, *between(1, 4), other, *between(0, 2)))

    classes = list(product(range(5), repeat=2)) * 20
    pairs = list({wish(*one): str(one[0] * 5 + one[1]) for one in classes}.items())
    rng.shuffle(pairs)
    return pairs[:250], pairs[250:400]
