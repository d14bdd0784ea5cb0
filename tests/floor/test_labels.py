from collections.abc import Callable, Sequence

import pytest
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.pipeline import make_pipeline, make_union
from sklearn.svm import LinearSVC

from mabench_floor.labels.skill import demonstrations_in
from tests.floor.demonstrations_material import (
    Pair,
    make_demonstrations,
    make_questions,
    make_wishes,
)
from tests.floor.telling import WAYS, told
from tests.synthetic.families.icl_solver import CLASSES, demonstrations, icl_row

Way = Callable[[str], list[str]]


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(("name", "words"), [("label", False), ("Intent", True)])
def test_classes_never_seen_before_are_learnt(way: Way, name: str, words: bool) -> None:
    context, asked = make_demonstrations(3, 20, name=name, words=words)
    reply = told(way(context))
    right = sum(reply(text) == value for text, value in asked)
    # Five points less than what is asked for on real rows.
    assert right >= 0.89 * len(asked)


def test_questions_are_told_apart_by_how_they_are_built() -> None:
    shown, asked = make_questions(3)
    reply = told(["".join(f"{text}\nlabel: {value}\n\n" for text, value in shown)])
    right = sum(reply(text) == value for text, value in asked)
    assert right >= 0.9 * len(asked)


def test_words_that_stand_apart_are_told_together_better_than_plain_machines_do() -> None:
    shown, asked = make_wishes(0)
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
def test_a_text_that_was_shown_has_its_own_label(way: Way) -> None:
    context, _ = make_demonstrations(4, 5)
    odd = "is there a discount for my camera by the pond"
    reply = told(way(f"{context}{odd}?\nlabel: 99\n\n"))
    assert reply(odd.upper()) == "99"


def test_of_two_labels_of_one_text_the_more_frequent_counts() -> None:
    context, _ = make_demonstrations(4, 5)
    again = "".join(f"may I sing?\nlabel: {value}\n\n" for value in (98, 99, 99))
    assert told([context + again])("may I sing?") == "99"


def test_line_breaks_may_be_lost_where_values_are_numbers() -> None:
    context, _ = make_demonstrations(5, 4)
    shown = demonstrations_in(context)
    assert shown == demonstrations_in(" ".join(context.split()))
    assert len(shown) == 40


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


def test_a_single_class_needs_no_classifier() -> None:
    context = "".join(f"text number {i}\nlabel: 3\n\n" for i in range(20))
    assert told([context])("anything") == "3"


def _right(shown: Sequence[Pair], asked: Sequence[Pair]) -> int:
    """Return how many texts the floor labels well."""
    reply = told(["".join(f"{text}\nlabel: {value}\n\n" for text, value in shown)])
    return sum(reply(text) == value for text, value in asked)


def _plainly_right(shown: Sequence[Pair], asked: Sequence[Pair]) -> list[int]:
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
