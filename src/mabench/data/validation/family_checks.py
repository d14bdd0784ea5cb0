"""What the rows of one family must hold beyond the common schema (docs: the dataset card)."""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterator
from datetime import datetime

from mabench.data.inventory import BY_NAME
from mabench.data.problems import Problem, shown
from mabench.data.records import Record
from mabench.data.schema import RowContent
from mabench.text import options_in

QUESTION_TYPES = (
    "single-session-user",
    "single-session-assistant",
    "single-session-preference",
    "multi-session",
    "temporal-reasoning",
    "knowledge-update",
)

_DATE_FORM = "%Y/%m/%d (%a) %H:%M"
_SPACE = re.compile(r"\s+")
# The fields that a family cannot be fully scored without.
_NEEDED_METADATA = {
    "infbench": ("keypoints",),
    "longmemeval": ("haystack_sessions", "question_dates", "question_ids", "question_types"),
}


def check_family(
    record: Record, content: RowContent, entity_ids: Container[int] | None
) -> Iterator[Problem]:
    """Yield what is wrong with a row for the family of its source.

    Args:
        record: the row's place.
        content: its content, which follows the schema.
        entity_ids: the known ids of recommendation golds, or None when they are not known.
    """
    source = BY_NAME.get(content.metadata.source)
    family = source.family if source else ""
    for name in _NEEDED_METADATA.get(family, ()):
        if not getattr(content.metadata, name):
            yield record.warning(f"metadata.{name}", "nothing", f"a list, as {family} rows have")
    if family in _CHECKS:
        yield from _CHECKS[family](record, content)
    if family == "recsys":
        yield from _check_entity_ids(record, content, entity_ids)


def _check_question_metadata(record: Record, content: RowContent) -> Iterator[Problem]:
    for i, kind in enumerate(content.metadata.question_types or ()):
        if kind not in QUESTION_TYPES:
            expected = f"one of {', '.join(QUESTION_TYPES)}"
            yield record.error(f"metadata.question_types[{i}]", shown(kind), expected)
    for i, date in enumerate(content.metadata.question_dates or ()):
        if not _is_date(date):
            expected = "a date such as 2023/05/27 (Sat) 22:54"
            yield record.warning(f"metadata.question_dates[{i}]", shown(date), expected)


def _is_date(text: str) -> bool:
    """Whether ``text`` is a date in the public data set's form, with its right weekday."""
    try:
        return datetime.strptime(text, _DATE_FORM).strftime(_DATE_FORM) == text
    except ValueError:
        return False


def _check_options(record: Record, content: RowContent) -> Iterator[Problem]:
    for i, (question, golds) in enumerate(zip(content.questions, content.answers, strict=True)):
        options = options_in(question)
        if not options:
            yield record.warning(f"questions[{i}]", "no options", "a question that lists options")
            continue
        # Public golds name the letter too, and not always with a space after it.
        texts = {_SPACE.sub("", option.text) for option in options}
        texts |= {_SPACE.sub("", f"{option.letter}.{option.text}") for option in options}
        for j, gold in enumerate(golds):
            if _SPACE.sub("", gold) not in texts:
                expected = f"one of the {len(options)} options of questions[{i}]"
                yield record.warning(f"answers[{i}][{j}]", shown(gold), expected)


def _check_entity_ids(
    record: Record, content: RowContent, entity_ids: Container[int] | None
) -> Iterator[Problem]:
    for i, golds in enumerate(content.answers):
        for j, gold in enumerate(golds):
            field = f"answers[{i}][{j}]"
            if not re.fullmatch(r"[0-9]{1,18}", gold):
                yield record.error(field, shown(gold), "an entity id in digits")
            elif entity_ids is not None and int(gold) not in entity_ids:
                yield record.error(field, shown(gold), "an id that entity2id.json knows")


_CHECKS: dict[str, Callable[[Record, RowContent], Iterator[Problem]]] = {
    "longmemeval": _check_question_metadata,
    "eventqa": _check_options,
    "detective": _check_options,
}
