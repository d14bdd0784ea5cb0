"""Rows as they were read, before any check, and how they become checked rows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from pydantic import ValidationError

from mabench.data.inventory import BY_NAME, Source, a_source_like, declaration_of
from mabench.data.problems import Problem, shown
from mabench.data.schema import ALIGNED_FIELDS, Row, RowContent
from mabench.errors import DataError
from mabench.json_text import has_surrogates
from mabench.suggestions import EXPECTED as EXPECTED_KINDS

FIELDS = tuple(RowContent.model_fields)
TEXT = "text that is not blank"

# What is expected in place of what the schema refuses, by the kind of the fault.
EXPECTED = {**EXPECTED_KINDS, "model_type": "an object", "missing": "this field"}


class Record(NamedTuple):
    """One row as it was read: ``row`` counts from 0 within ``file``.

    ``split`` is the split that the file's name or the key above the row names, if any.
    """

    file: str
    row: int
    split: str | None
    content: object

    def error(self, field: str | None, found: str, expected: str) -> Problem:
        """Return an error at this row."""
        return Problem("error", self.file, self.row, field, found, expected)

    def warning(self, field: str | None, found: str, expected: str) -> Problem:
        """Return a warning at this row."""
        return Problem("warning", self.file, self.row, field, found, expected)


def check_answers(record: Record, content: Mapping[str, object]) -> Iterator[Problem]:
    """Yield where a row asks nothing, or where no answer could be right, or every one is."""
    if content.get("questions") == []:
        yield record.error("questions", "an empty list", "at least one question")
    answers = content.get("answers")
    for i, golds in enumerate(answers if isinstance(answers, list) else ()):
        if golds == []:
            yield record.error(f"answers[{i}]", "an empty list", "at least one candidate")
        for j, gold in enumerate(golds if isinstance(golds, list) else ()):
            if isinstance(gold, str) and not gold.strip():
                yield record.error(f"answers[{i}][{j}]", shown(gold), TEXT)


def parse(record: Record) -> tuple[RowContent | None, list[Problem]]:
    """Check a record against the schema and the alignment of its lists.

    Returns:
        The content and no problem, or None and every problem.
    """
    if not isinstance(record.content, Mapping):
        expected = f"an object with {', '.join(FIELDS)}"
        return None, [record.error(None, shown(record.content), expected)]
    problems: list[Problem] = []
    content = None
    try:
        content = RowContent.model_validate(dict(record.content))
    except ValidationError as error:
        problems += [_schema_problem(record, detail) for detail in error.errors(include_url=False)]
    problems += _misaligned(record, record.content)
    for name in FIELDS:
        problems += _halves(record, name, record.content.get(name))
    return (None if problems else content), problems


def read_rows(
    records: Iterable[Record | Problem], sources: Mapping[str, Source] = BY_NAME
) -> Iterator[Row]:
    """Turn records into rows, numbered from 0 within each split; warnings are passed over.

    Args:
        records: the records.
        sources: the sources of the data set, which tell the split where nothing else does.

    Raises:
        DataError: at the first error, naming file, row and field.
    """
    counts: Counter[str] = Counter()
    for record in records:
        if isinstance(record, Record):
            content, problems = parse(record)
            if content is not None:
                problems += check_answers(record, {n: getattr(content, n) for n in FIELDS})
        else:
            content, problems = None, [record] if record.severity == "error" else []
        if problems:
            raise DataError(f"{problems[0]} (`mabench data validate` lists every problem)")
        if isinstance(record, Record) and content is not None:
            split = record.split or _split_by_source(record, content.metadata.source, sources)
            yield Row.model_construct(
                **{name: getattr(content, name) for name in FIELDS},
                split=split,
                index=counts[split],
            )
            counts[split] += 1


def _split_by_source(record: Record, source: str, sources: Mapping[str, Source]) -> str:
    if source in sources:
        return sources[source].split
    raise DataError(unknown_source(record, source, sources).text)


def unknown_source(record: Record, name: str, sources: Mapping[str, Source]) -> Problem:
    """Return the error for a row of a source that nobody declares, with how to declare it."""
    problem = record.error("metadata.source", shown(name), a_source_like(name, sources))
    return problem._replace(paste=declaration_of(name))


def _schema_problem(record: Record, detail: Any) -> Problem:
    steps = (f"[{step}]" if isinstance(step, int) else f".{step}" for step in detail["loc"])
    found = "nothing" if detail["type"] == "missing" else shown(detail["input"])
    expected = EXPECTED.get(detail["type"], "a value of another kind")
    return record.error("".join(steps).lstrip("."), found, expected)


def _halves(record: Record, field: str, value: object) -> Iterator[Problem]:
    """Yield the texts that hold half a character, which no file of rows can keep."""
    if isinstance(value, str):
        if has_surrogates(value):
            yield record.error(field, shown(value), EXPECTED["string_unicode"])
    elif isinstance(value, Mapping):
        for name, part in value.items():
            yield from _halves(record, f"{field}.{name}", part)
    elif isinstance(value, list):
        for i, part in enumerate(value):
            yield from _halves(record, f"{field}[{i}]", part)


def _misaligned(record: Record, content: Mapping[str, object]) -> Iterator[Problem]:
    """Yield the lists that should have one item per question and do not."""
    questions, metadata = content.get("questions"), content.get("metadata")
    if not isinstance(questions, list):
        return
    fields = {"answers": content.get("answers")}
    if isinstance(metadata, Mapping):
        fields |= {f"metadata.{name}": metadata.get(name) for name in ALIGNED_FIELDS}
    for field, value in fields.items():
        if isinstance(value, list) and len(value) != len(questions):
            expected = f"{len(questions)}, one for each of the questions"
            yield record.error(field, f"{len(value)} items", expected)
