"""RULER question answering: questions about single documents (qa1) or several (qa2).

Every document is a paragraph under a heading of its own; each question has several golds.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import combinations

from mabench.data import Row
from mabench.families.family import AuditCheck, Doubt, Family, budgets, by_rule
from mabench.families.parts import GOLD_ABSENT, VERDICTS, split_before
from mabench.scoring import Catalogue, correct_answer, normalize
from mabench.scoring.words import spelling

_DOCUMENT = re.compile(r"^Document \d+:", re.MULTILINE)

_PROMPT = """\
What you remember holds a collection of documents. Answer the question from them. Reply with the \
answer alone, in as few words as possible and without any explanation.

Now Answer the Question: {question}
Answer:"""

_OPPOSITES = ({("yes",), ("no",)}, {("true",), ("false",)})


def _candidates_contradict(row: Row, catalogue: Catalogue | None) -> Iterator[Doubt]:
    """Two golds of one question that cannot both be right.

    One says yes and the other no, or both hold numbers and have none in common. Dates of which
    one gives the year alone do not contradict.
    """
    for index, answers in enumerate(row.answers):
        pairs = combinations(dict.fromkeys(answers), 2)
        clash = next((pair for pair in pairs if _contradict(*map(spelling, pair))), None)
        if clash:
            yield index, f"{clash[0]!r} and {clash[1]!r}"


def _contradict(one: tuple[str, ...], other: tuple[str, ...]) -> bool:
    numbers, others = _numbers(one), _numbers(other)
    return {one, other} in _OPPOSITES or (
        bool(numbers) and bool(others) and numbers.isdisjoint(others)
    )


def _numbers(words: tuple[str, ...]) -> set[str]:
    return {digits for word in words for digits in re.findall(r"\d+", word)}


FAMILY = Family(
    name="ruler",
    prompts={"answer": _PROMPT},
    units=lambda context: split_before(_DOCUMENT, context),
    budgets=budgets(paper=(512, 50), repository=(4096, 50)),
    metric="substring_exact_match",
    corrected=by_rule("substring_exact_match", correct_answer),
    no_form=("no-answer", "no-verdict"),
    # Whether two things agree is concluded from passages, and stands in none.
    gold_in_text=lambda answers: not VERDICTS.issuperset(map(normalize, answers)),
    audit_checks=(GOLD_ABSENT, AuditCheck("candidates-contradict", _candidates_contradict)),
)
