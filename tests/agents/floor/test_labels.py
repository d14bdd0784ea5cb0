from __future__ import annotations

from collections.abc import Callable

import pytest

from mabench.agents.floor.labels.demonstrations import demonstrations_in
from tests.agents.floor.demonstrations_material import make_demonstrations, make_questions
from tests.agents.floor.telling import WAYS, told

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
