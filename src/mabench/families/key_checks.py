"""Checks of the answer key that several families share. They never look at predictions."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from itertools import combinations

from mabench.data import Row
from mabench.data.problems import one_line
from mabench.families.family import AuditCheck
from mabench.scoring import Catalogue, normalize
from mabench.scoring.tokens import spelling

# Golds that a history implies but does not contain.
VERDICTS = frozenset({"yes", "no"})


def _gold_absent(row: Row, catalogue: Catalogue | None) -> Iterator[tuple[int, str]]:
    """Yield questions none of whose golds occurs in the history; a yes or no need not occur."""
    context = normalize.__wrapped__(row.context)  # Not cached: it is too long.
    for index, answers in enumerate(row.answers):
        golds = [normalize(answer) for answer in answers]
        if not any(gold in VERDICTS or gold in context for gold in golds):
            yield index, f"none of {answers!r} occurs in the context"


def _candidates_contradict(row: Row, catalogue: Catalogue | None) -> Iterator[tuple[int, str]]:
    """Yield questions with two golds that cannot both be right.

    A year does not contradict a date in that year.
    """
    for index, answers in enumerate(row.answers):
        pairs = combinations(dict.fromkeys(answers), 2)
        for one, other in pairs:
            if contradict(one, other):
                yield index, f"{one!r} and {other!r}"
                break


def contradict(one: str, other: str) -> bool:
    """Return whether two golds are yes and no, or both contain numbers but none in common."""
    words, other_words = spelling(one), spelling(other)
    are_opposites = {words, other_words} in ({("yes",), ("no",)}, {("true",), ("false",)})
    numbers, other_numbers = _numbers_in(words), _numbers_in(other_words)
    have_numbers = bool(numbers) and bool(other_numbers)
    return are_opposites or (have_numbers and numbers.isdisjoint(other_numbers))


def _numbers_in(words: Iterable[str]) -> set[str]:
    """Return the runs of digits in some words."""
    return {digits for word in words for digits in re.findall(r"\d+", word)}


def _find_empty(row: Row, catalogue: Catalogue | None) -> Iterator[tuple[int, str]]:
    """Yield questions with a gold that is empty when normalized: it occurs in every output."""
    for index, answers in enumerate(row.answers):
        empty = [answer for answer in answers if not normalize(answer)]
        if empty:
            yield index, f"{empty[0]!r} normalises to nothing"


def _find_repeated(row: Row, catalogue: Catalogue | None) -> Iterator[tuple[int, str]]:
    """Yield questions that the row asks twice with different golds.

    Each is yielded by its index with the first question of the same words and other golds. The
    catalogue is not needed: all checks of a key have the same parameters.
    """
    questions = [one_line(question.casefold()) for question in row.questions]
    golds_of_all = [frozenset(map(normalize, answers)) for answers in row.answers]
    # By question: each set of golds that it has, with the index that has it first.
    first_index: dict[str, dict[frozenset[str], int]] = defaultdict(dict)
    for index, (question, golds) in enumerate(zip(questions, golds_of_all, strict=True)):
        first_index[question].setdefault(golds, index)
    for index, (question, golds) in enumerate(zip(questions, golds_of_all, strict=True)):
        others = [first for other, first in first_index[question].items() if other != golds]
        if others:
            yield index, f"question {min(others)} is the same but has other golds"


# The checks of all families.
EVERY_ROW = (
    AuditCheck(
        "gold-empty", _find_empty, expected="a gold that is more than articles and punctuation"
    ),
    AuditCheck("asked-twice", _find_repeated),
)
# Checks of the families that name them.
GOLD_ABSENT = AuditCheck(
    "gold-absent", _gold_absent, expected="a gold that occurs in it: answers are taken from there"
)
CANDIDATES_CONTRADICT = AuditCheck("candidates-contradict", _candidates_contradict)
