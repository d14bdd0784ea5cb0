"""What every row must be beyond its types: nothing empty, nothing twice, a known source."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping

from mabench.data.inventory import Source, nearest_names
from mabench.data.problems import Problem, shown
from mabench.data.records import FIELDS, Record
from mabench.data.schema import Metadata, Turn

UNKNOWN_FIELD = "an unknown field"

_TEXT = "text that is not blank"


def check_row(record: Record, sources: Mapping[str, Source]) -> Iterator[Problem]:
    """Yield what is wrong with a row, whatever the types of its values are.

    Args:
        record: the row.
        sources: every source that it may name.
    """
    content = record.content
    if not isinstance(content, Mapping):
        return
    metadata = fields_of(content.get("metadata"))
    yield from _check_texts(record, content)
    yield from _check_source(record, metadata.get("source"), sources)
    yield from _check_ids(record, metadata)
    yield from _check_unknown_fields(record, content, metadata)


def items_of(value: object) -> list[object]:
    """Return ``value`` when it is a list, else an empty one: ``parse`` tells its type."""
    return value if isinstance(value, list) else []


def fields_of(value: object) -> Mapping[str, object]:
    """Return ``value`` when it is an object, else an empty one."""
    return value if isinstance(value, Mapping) else {}


def _check_texts(record: Record, content: Mapping[str, object]) -> Iterator[Problem]:
    if _blank(content.get("context")):
        yield record.error("context", shown(content["context"]), _TEXT)
    if content.get("questions") == []:
        yield record.error("questions", "an empty list", "at least one question")
    for i, question in enumerate(items_of(content.get("questions"))):
        if _blank(question):
            yield record.error(f"questions[{i}]", shown(question), _TEXT)
    for i, golds in enumerate(items_of(content.get("answers"))):
        if golds == []:
            yield record.error(f"answers[{i}]", "an empty list", "at least one candidate")
        for j, gold in enumerate(items_of(golds)):
            if _blank(gold):
                yield record.error(f"answers[{i}][{j}]", shown(gold), _TEXT)


def _blank(value: object) -> bool:
    return isinstance(value, str) and not value.strip()


def _check_source(record: Record, name: object, sources: Mapping[str, Source]) -> Iterator[Problem]:
    if not isinstance(name, str):
        return
    source = sources.get(name)
    if source is None:
        expected = f"a known source: {nearest_names(name, sources)}"
        yield record.error("metadata.source", shown(name), expected)
    elif record.split not in (None, source.split):
        expected = f"a source of the split {record.split} ({name} is of {source.split})"
        yield record.error("metadata.source", shown(name), expected)


def _check_ids(record: Record, metadata: Mapping[str, object]) -> Iterator[Problem]:
    if metadata and metadata.get("qa_pair_ids") is None:
        yield record.error("metadata.qa_pair_ids", "nothing", "one id for each question")
    for name in ("qa_pair_ids", "question_ids"):
        first: dict[str, int] = {}
        for i, value in enumerate(items_of(metadata.get(name))):
            if isinstance(value, str) and first.setdefault(value, i) != i:
                expected = f"an id that no other question has ({name}[{first[value]}] has it)"
                yield record.error(f"metadata.{name}[{i}]", shown(value), expected)


def _check_unknown_fields(
    record: Record, content: Mapping[str, object], metadata: Mapping[str, object]
) -> Iterator[Problem]:
    for field in _unknown(content, FIELDS):
        yield record.warning(field, UNKNOWN_FIELD, f"only {', '.join(FIELDS)}")
    for field in _unknown(metadata, Metadata.model_fields):
        expected = f"only {', '.join(Metadata.model_fields)}"
        yield record.warning(f"metadata.{field}", UNKNOWN_FIELD, expected)
    field = "metadata.haystack_sessions"
    for path, turn in _turns(metadata.get("haystack_sessions")):
        for name in _unknown(turn, Turn.model_fields):
            expected = f"only {', '.join(Turn.model_fields)}"
            yield record.warning(f"{field}{path}.{name}", UNKNOWN_FIELD, expected)


def _unknown(fields: Mapping[str, object], known: Container[str]) -> list[str]:
    return [str(name) for name in fields if name not in known]


def _turns(haystacks: object) -> Iterator[tuple[str, Mapping[str, object]]]:
    """Yield each turn with its path below ``haystack_sessions``."""
    for i, sessions in enumerate(items_of(haystacks)):
        for j, turns in enumerate(items_of(sessions)):
            for k, turn in enumerate(items_of(turns)):
                yield f"[{i}][{j}][{k}]", fields_of(turn)
