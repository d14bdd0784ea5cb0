"""What every row must be beyond its types: nothing empty, nothing twice, a known source."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

from mabench.data.inventory import BY_NAME, Source
from mabench.data.problems import Problem, Severity, shown
from mabench.data.records import FIELDS, TEXT, Record, check_answers, unknown_source
from mabench.data.schema import Metadata, Turn

UNKNOWN_FIELD = "an unknown field"
ID_FIELDS = ("qa_pair_ids", "question_ids")


def check_row(record: Record, sources: Mapping[str, Source]) -> Iterator[Problem]:
    """Yield what is wrong with a row, whatever its values' types; it may name ``sources``."""
    content = record.content
    if not isinstance(content, Mapping):
        return
    metadata = fields_of(content.get("metadata"))
    yield from _check_texts(record, content)
    yield from _check_source(record, metadata.get("source"), sources)
    own = metadata.get("source") not in BY_NAME
    yield from _check_ids(record, metadata, "warning" if own else "error")
    yield from _check_unknown_fields(record, content, metadata)


def items_of(value: object) -> list[object]:
    """Return ``value`` when it is a list, else an empty one: ``parse`` tells its type."""
    return value if isinstance(value, list) else []


def fields_of(value: object) -> Mapping[str, object]:
    """Return ``value`` when it is an object, else an empty one."""
    return value if isinstance(value, Mapping) else {}


def _check_texts(record: Record, content: Mapping[str, object]) -> Iterator[Problem]:
    if _blank(content.get("context")):
        yield record.error("context", shown(content["context"]), TEXT)
    for i, question in enumerate(items_of(content.get("questions"))):
        if _blank(question):
            yield record.error(f"questions[{i}]", shown(question), TEXT)
    yield from check_answers(record, content)


def _blank(value: object) -> bool:
    return isinstance(value, str) and not value.strip()


def _check_source(record: Record, name: object, sources: Mapping[str, Source]) -> Iterator[Problem]:
    if not isinstance(name, str):
        return
    source = sources.get(name)
    if source is None:
        yield unknown_source(record, name, sources)
    elif record.split not in (None, source.split):
        expected = f"a source of the split {record.split} ({name} is of {source.split})"
        yield record.error("metadata.source", shown(name), expected)


def _check_ids(
    record: Record, metadata: Mapping[str, object], missing: Severity
) -> Iterator[Problem]:
    """Check the ids of questions; ``missing`` says how it is reported that there are none."""
    if metadata and metadata.get("qa_pair_ids") is None:
        report = record.warning if missing == "warning" else record.error
        yield report("metadata.qa_pair_ids", "nothing", "one id for each question")
    for name in ID_FIELDS:
        first: dict[str, int] = {}
        for i, value in enumerate(items_of(metadata.get(name))):
            if isinstance(value, str) and first.setdefault(value, i) != i:
                expected = f"an id that no other question has ({name}[{first[value]}] has it)"
                yield record.error(f"metadata.{name}[{i}]", shown(value), expected)


def _check_unknown_fields(
    record: Record, content: Mapping[str, object], metadata: Mapping[str, object]
) -> Iterator[Problem]:
    parts: list[tuple[str, Mapping[str, object], Collection[str]]] = [
        ("", content, FIELDS),
        ("metadata.", metadata, Metadata.model_fields),
    ]
    for i, sessions in enumerate(items_of(metadata.get("haystack_sessions"))):
        for j, turns in enumerate(items_of(sessions)):
            for k, turn in enumerate(items_of(turns)):
                place = f"metadata.haystack_sessions[{i}][{j}][{k}]."
                parts.append((place, fields_of(turn), Turn.model_fields))
    for place, fields, known in parts:
        for name in fields:
            if name not in known:
                yield record.warning(f"{place}{name}", UNKNOWN_FIELD, f"only {', '.join(known)}")
