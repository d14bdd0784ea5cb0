"""In-context learning rows: labels follow from the demonstrations alone."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence

import pytest

from mabench.dataset.schema import Row
from mabench.synthesis.icl_wordings import BANKING, QUIZ
from tests.synthesis.wordings import pattern

SETS = [
    ("icl_banking77_5900shot_balance", BANKING),
    ("icl_trec_coarse_6600shot_balance", QUIZ),
]


def _demonstrations(row: Row) -> list[tuple[str, str]]:
    pairs = [block.rsplit("\nlabel: ", 1) for block in row.context.split("\n\n")]
    return [(text, label) for text, label in pairs]


def _class_of(classes: Mapping[str, Sequence[str]], text: str) -> str:
    """Return the class of the one core sentence that stands in ``text``."""
    (found,) = {
        name for name, cores in classes.items() for core in cores if pattern(core).search(text)
    }
    return found


@pytest.mark.parametrize(("source", "classes"), SETS)
def test_a_solver_learns_every_label(
    rows_of: Callable[[str], list[Row]], source: str, classes: Mapping[str, Sequence[str]]
) -> None:
    (row,) = rows_of(source)
    learned: dict[str, set[str]] = defaultdict(set)
    for text, label in _demonstrations(row):
        learned[_class_of(classes, text)].add(label)
    numbers = [label for name in classes for label in learned[name]]
    assert sorted(numbers, key=int) == [str(i) for i in range(len(classes))] != numbers
    solved = [learned[_class_of(classes, question)] for question in row.questions]
    assert solved == [set(answers) for answers in row.answers]


@pytest.mark.parametrize(("source", "classes"), SETS)
def test_classes_are_balanced_and_no_test_text_is_shown(
    rows_of: Callable[[str], list[Row]], source: str, classes: Mapping[str, Sequence[str]]
) -> None:
    (row,) = rows_of(source)
    demonstrations = _demonstrations(row)
    counts = Counter(label for _, label in demonstrations)
    assert len(counts) == len(classes)
    assert len(set(counts.values())) == 1
    assert len({text for text, _ in demonstrations}) == len(demonstrations)
    assert not {text for text, _ in demonstrations} & set(row.questions)
    assert list(counts) != sorted(counts, key=int)
