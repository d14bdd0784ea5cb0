"""Checks for families whose questions offer options: is the gold answer one of them?"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator

from mabench import scoring
from mabench.data import Problem, Row, RowContent
from mabench.data.problems import describe
from mabench.data.records import Record
from mabench.families.family import AuditCheck
from mabench.scoring.tokens import spelling
from mabench.text import parse_options


def check_options(
    record: Record, content: RowContent, _: Container[int] | None
) -> Iterator[Problem]:
    """Check that every question lists options and that its golds are among them."""
    for i, (question, golds) in enumerate(zip(content.questions, content.answers, strict=True)):
        count = len(parse_options(question))
        if not count:
            yield record.warning(f"questions[{i}]", "no options", "a question that lists options")
            continue
        offered = _offered_forms(question, _without_space)
        for j, gold in enumerate(golds):
            if _without_space(gold) not in offered:
                expected = f"one of the {count} options of questions[{i}]"
                yield record.warning(f"answers[{i}][{j}]", describe(gold), expected)


def _offered_forms(question: str, key: Callable[[str], object]) -> set[object]:
    """Return the options of a question with and without their letters, each by its ``key``.

    The public golds contain the letter.
    """
    forms = set()
    for option in parse_options(question):
        forms |= {key(option.text), key(f"{option.letter}. {option.text}")}
    return forms


def _without_space(text: str) -> str:
    """Return a text without white space, which some golds lack after the letter."""
    return "".join(text.split())


def _gold_not_offered(row: Row, catalogue: scoring.Catalogue | None) -> Iterator[tuple[int, str]]:
    """Yield questions none of whose golds is among their options; also those without options."""
    for index, (question, answers) in enumerate(zip(row.questions, row.answers, strict=True)):
        if _offered_forms(question, spelling).isdisjoint(map(spelling, answers)):
            count = len(parse_options(question))
            yield index, f"none of {answers!r} is among the {count} options"


GOLD_NOT_OFFERED = AuditCheck("gold-not-offered", _gold_not_offered)
