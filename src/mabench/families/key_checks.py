"""Checks of the answer key that several families share; none looks at a prediction."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from itertools import combinations

from mabench.data import Row
from mabench.data.problems import one_line
from mabench.families.family import AuditCheck
from mabench.scoring import Catalogue, normalize
from mabench.scoring.tokens import spelling

VERDICTS = frozenset({"yes", "no"})  # Golds that are said of a history, and not in it.


def _gold_absent(row: Row, catalogue: Catalogue | None) -> Iterator[tuple[int, str]]:
    """A question to be answered from the history, in which none of its golds occurs."""
    context = normalize.__wrapped__(row.context)  # Too long to be kept.
    for index, answers in enumerate(row.answers):
        golds = [normalize(answer) for answer in answers]
        if not any(gold in VERDICTS or gold in context for gold in golds):
            yield index, f"none of {answers!r} occurs in the context"


def _candidates_contradict(row: Row, catalogue: Catalogue | None) -> Iterator[tuple[int, str]]:
    """Two golds of one question that cannot both be right.

    Dates of which one gives the year alone do not contradict.
    """
    for index, answers in enumerate(row.answers):
        pairs = combinations(dict.fromkeys(answers), 2)
        clash = next((pair for pair in pairs if contradict(*pair)), None)
        if clash:
            yield index, f"{clash[0]!r} and {clash[1]!r}"


def contradict(one: str, other: str) -> bool:
    """Whether two golds say yes and no, or both hold numbers and have none in common."""
    pair = [spelling(one), spelling(other)]
    numbers, others = ({d for word in words for d in re.findall(r"\d+", word)} for words in pair)
    opposite = set(pair) in ({("yes",), ("no",)}, {("true",), ("false",)})
    return opposite or (bool(numbers) and bool(others) and numbers.isdisjoint(others))


def _find_empty(row: Row, catalogue: Catalogue | None) -> Iterator[tuple[int, str]]:
    """A gold that normalises to nothing; the published scorer finds it in every output."""
    for index, answers in enumerate(row.answers):
        empty = [answer for answer in answers if not normalize(answer)]
        if empty:
            yield index, f"{empty[0]!r} normalises to nothing"


def _find_repeated(row: Row, catalogue: Catalogue | None) -> Iterator[tuple[int, str]]:
    """A question that the row asks twice, with different golds."""
    golds: dict[str, dict[frozenset[str], int]] = defaultdict(dict)
    questions = [one_line(question.casefold()) for question in row.questions]
    for index, (question, answers) in enumerate(zip(questions, row.answers, strict=True)):
        golds[question].setdefault(frozenset(map(normalize, answers)), index)
    for index, question in enumerate(questions):
        different = golds[question]
        if len(different) > 1:
            others = [other for other in different.values() if other != index]
            yield index, f"question {others[0]} is the same but has other golds"


# Made of the rows of every family.
EVERY_ROW = (
    AuditCheck(
        "gold-empty", _find_empty, expected="a gold that is more than articles and punctuation"
    ),
    AuditCheck("asked-twice", _find_repeated),
)
# Made where a family names them.
GOLD_ABSENT = AuditCheck(
    "gold-absent", _gold_absent, expected="a gold that occurs in it: answers are taken from there"
)
CANDIDATES_CONTRADICT = AuditCheck("candidates-contradict", _candidates_contradict)
