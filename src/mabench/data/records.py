"""A row as it was read, what can be wrong with it, and how it becomes a checked row."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Literal, NamedTuple

from pydantic import ValidationError

from mabench.data.inventory import (
    BY_NAME,
    SOURCES_FILE,
    Source,
    declaration_of,
    suggest_source,
)
from mabench.data.schema import ALIGNED_FIELDS, ALIGNED_METADATA, Metadata, Row, RowContent, Turn
from mabench.data.turns import find_faults, join_turns, list_faults
from mabench.errors import DataError
from mabench.json_text import has_surrogates
from mabench.suggestions import EXPECTED as _EXPECTED_KINDS

Severity = Literal["error", "warning"]

ALL_FIELDS = tuple(RowContent.model_fields)
# Those of every row; the others are what other benchmarks add.
FIELDS = tuple(name for name in ALL_FIELDS if RowContent.model_fields[name].is_required())
ID_FIELDS = ("qa_pair_ids", "question_ids")
TEXT = "text that is not blank"
UNKNOWN_FIELD = "an unknown field"
# What is expected in place of what the schema refuses, by the kind of the fault.
_OBJECT = dict.fromkeys(("dict_type", "model_type"), "an object")
EXPECTED = {**_EXPECTED_KINDS, **_OBJECT, "missing": "this field"}
_LONGEST_SHOWN = 80


class Problem(NamedTuple):
    """What was found at one place of a data set, and what was expected there.

    ``file`` is a path, or a name for rows that come from no file; ``row`` counts from 0 within
    it and is None where the whole file is meant; ``field`` is a path such as ``answers[3][1]``.
    ``paste`` holds lines that mend it, where they can be told.
    """

    severity: Severity
    file: str
    row: int | None
    field: str | None
    found: str
    expected: str
    paste: str | None = None

    def __str__(self) -> str:
        """The problem as one line, without its severity."""
        place = self.file if self.row is None else f"{self.file}, row {self.row}"
        if self.field is not None:
            place = f"{place}, {self.field}"
        return one_line(f"{place}: found {self.found}; expected {self.expected}")

    @property
    def text(self) -> str:
        """The problem as one line, and below it the lines to paste, if any."""
        return f"{self}, such as:\n{self.paste}" if self.paste else str(self)

    def as_dict(self) -> dict[str, str | int | None]:
        """The problem as values that JSON can hold, by field name."""
        fields = self._asdict()
        if self.paste is None:
            del fields["paste"]
        return fields


class Record(NamedTuple):
    """A row as read: ``row`` counts from 0 within ``file``; ``split`` is what its place names."""

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


def one_line(text: str) -> str:
    """Return ``text`` with every run of white space as one space."""
    return " ".join(text.split())


def describe(value: object) -> str:
    """Return ``value`` in a few words, as a reader of a JSON file would name it."""
    if value is None:
        return "null"
    if isinstance(value, dict):
        return f"an object of {len(value)} fields"
    if isinstance(value, list | tuple):
        return f"a list of {len(value)}"
    if isinstance(value, str):
        return repr(value if len(value) <= _LONGEST_SHOWN else f"{value[:_LONGEST_SHOWN]}...")
    text = repr(value)
    return f"{text[:_LONGEST_SHOWN]} ({type(value).__name__})"


def items_of(value: object) -> list[object]:
    """Return ``value`` when it is a list, else an empty one: ``parse`` tells its type."""
    return value if isinstance(value, list) else []


def fields_of(value: object) -> Mapping[str, object]:
    """Return ``value`` when it is an object, else an empty one."""
    return value if isinstance(value, Mapping) else {}


def read_rows(
    records: Iterable[Record | Problem], sources: Mapping[str, Source] = BY_NAME
) -> Iterator[Row]:
    """Turn records into rows, numbered by split; raises ``DataError`` at the first error."""
    counts: Counter[str] = Counter()
    for record in records:
        if isinstance(record, Problem):
            content, problems = None, [record] if record.severity == "error" else []
        else:
            content, problems = parse(record)
            if content is not None:
                problems += _check_answers(record, fields_of(record.content))
        if problems:
            raise DataError(f"{problems[0]} (`mabench data validate` lists every problem)")
        if isinstance(record, Problem) or content is None:
            continue
        source = content.metadata["source"]
        if not record.split and source not in sources:
            raise DataError(_unknown_source(record, source, sources).text)
        split = record.split or sources[source].split
        fields = {name: getattr(content, name) for name in ALL_FIELDS}
        yield Row.model_construct(**fields, split=split, index=counts[split])
        counts[split] += 1


def parse(record: Record) -> tuple[RowContent | None, list[Problem]]:
    """Return the checked content and no problem, or None and every problem of a record."""
    if not isinstance(record.content, Mapping):
        expected = f"an object with {', '.join(FIELDS)}"
        return None, [record.error(None, describe(record.content), expected)]
    turns = record.content.get("context")
    faults = [*list_faults(turns)] if isinstance(turns, list) else []
    problems = [record.error(field, describe(value), expected) for field, value, expected in faults]
    if problems:
        return None, problems
    fields = _join(record.content)
    content = None
    try:
        content = RowContent.model_validate(fields)
    except ValidationError as error:
        for fault in error.errors(include_url=False):
            steps = (f"[{step}]" if isinstance(step, int) else f".{step}" for step in fault["loc"])
            field = "".join(steps).lstrip(".")
            found = "nothing" if fault["type"] == "missing" else describe(fault["input"])
            expected = EXPECTED.get(fault["type"], "a value of another kind")
            problems.append(record.error(field, found, expected))
    for field, value, expected in find_faults(content) if content else ():
        problems.append(record.error(field, describe(value), expected))
    problems += _check_alignment(record, fields)
    for name in ALL_FIELDS:
        problems += _check_characters(record, name, fields.get(name))
    return (None if problems else content), problems


def _join(content: Mapping[str, object]) -> dict[str, object]:
    """Return the fields of a row, with a context that is a good list of turns as text."""
    turns = content.get("context")
    is_list = isinstance(turns, list) and not any(list_faults(turns))
    return {**content, **join_turns(turns)} if is_list else dict(content)  # type: ignore[arg-type]


def check_row(record: Record, sources: Mapping[str, Source]) -> Iterator[Problem]:
    """Yield what is wrong beyond types: blank texts, repeated ids, names not in ``sources``."""
    if not isinstance(record.content, Mapping):
        return
    content = _join(record.content)
    metadata = fields_of(content.get("metadata"))
    texts = {"context": content.get("context")}
    texts |= {f"questions[{i}]": text for i, text in enumerate(items_of(content.get("questions")))}
    for field, text in texts.items():
        if _is_blank(text):
            yield record.error(field, describe(text), TEXT)
    yield from _check_answers(record, content)
    name = metadata.get("source")
    if isinstance(name, str):
        source = sources.get(name)
        if source is None:
            yield _unknown_source(record, name, sources)
        elif record.split not in (None, source.split):
            expected = f"a source of the split {record.split} ({name} is of {source.split})"
            yield record.error("metadata.source", describe(name), expected)
        elif source.asked_after is not None:
            yield from _check_points(record, content, source.asked_after)
    yield from _check_evidence(record, content)
    yield from _check_ids(record, metadata)
    yield from _check_field_names(record, content, metadata)


def _is_blank(value: object) -> bool:
    return isinstance(value, str) and not value.strip()


def _unknown_source(record: Record, name: str, sources: Mapping[str, Source]) -> Problem:
    problem = record.error("metadata.source", describe(name), suggest_source(name, sources))
    return problem._replace(paste=declaration_of(name))


def _check_answers(record: Record, content: Mapping[str, object]) -> Iterator[Problem]:
    """Yield where a row asks nothing, or where no answer could be right, or every one is."""
    if content.get("questions") == []:
        yield record.error("questions", "an empty list", "at least one question")
    for i, golds in enumerate(items_of(content.get("answers"))):
        if golds == []:
            yield record.error(f"answers[{i}]", "an empty list", "at least one candidate")
        for j, gold in enumerate(items_of(golds)):
            if _is_blank(gold):
                yield record.error(f"answers[{i}][{j}]", describe(gold), TEXT)


def _check_characters(record: Record, field: str, value: object) -> Iterator[Problem]:
    """Yield the texts that hold half a character, which no file of rows can keep."""
    if isinstance(value, str):
        if has_surrogates(value):
            yield record.error(field, describe(value), EXPECTED["string_unicode"])
    elif isinstance(value, Mapping):
        for name, part in value.items():
            yield from _check_characters(record, f"{field}.{name}", part)
    elif isinstance(value, list):
        for i, part in enumerate(value):
            yield from _check_characters(record, f"{field}[{i}]", part)


def _check_alignment(record: Record, content: Mapping[str, object]) -> Iterator[Problem]:
    """Yield the lists that should have one item per question and do not."""
    questions, metadata = content.get("questions"), fields_of(content.get("metadata"))
    fields = {"answers": content.get("answers")}
    fields |= {name: content.get(name) for name in ALIGNED_FIELDS}
    fields |= {f"metadata.{name}": metadata.get(name) for name in ALIGNED_METADATA}
    for field, value in fields.items() if isinstance(questions, list) else ():
        if isinstance(value, list) and len(value) != len(items_of(questions)):
            expected = f"{len(items_of(questions))}, one for each of the questions"
            yield record.error(field, f"{len(value)} items", expected)


def _check_evidence(record: Record, content: Mapping[str, object]) -> Iterator[Problem]:
    """Yield quoted evidence that does not stand in the context; other evidence names turns."""
    context = content.get("context")
    if content.get("turns") is not None or not isinstance(context, str):
        return
    for i, quotes in enumerate(items_of(content.get("evidence"))):
        for j, quote in enumerate(items_of(quotes)):
            if isinstance(quote, str) and (_is_blank(quote) or quote not in context):
                expected = "text that stands in the context, word for word"
                yield record.error(f"evidence[{i}][{j}]", describe(quote), expected)


def _check_points(record: Record, content: Mapping[str, object], kind: str) -> Iterator[Problem]:
    """Yield the questions that do not say, by a turn or a time, up to where they may know."""
    turns = {fields_of(turn).get("id") for turn in items_of(content.get("turns"))}
    points = items_of(content.get("asked_after"))
    for i in range(len(items_of(content.get("questions")))):
        point = points[i] if i < len(points) else None
        if point is None or (point in turns) != (kind == "turn"):
            found = "nothing" if point is None else describe(point)
            what = "the id of a turn" if kind == "turn" else "a day, or a time with its zone"
            yield record.error(f"asked_after[{i}]", found, f"{what}, as {SOURCES_FILE} says")


def _check_ids(record: Record, metadata: Mapping[str, object]) -> Iterator[Problem]:
    if metadata and metadata.get("qa_pair_ids") is None:
        report = record.error if str(metadata.get("source")) in BY_NAME else record.warning
        yield report("metadata.qa_pair_ids", "nothing", "one id for each question")
    for name in ID_FIELDS:
        first: dict[str, int] = {}
        for i, value in enumerate(items_of(metadata.get(name))):
            if isinstance(value, str) and first.setdefault(value, i) != i:
                expected = f"an id that no other question has ({name}[{first[value]}] has it)"
                yield record.error(f"metadata.{name}[{i}]", describe(value), expected)


def _check_field_names(
    record: Record, content: Mapping[str, object], metadata: Mapping[str, object]
) -> Iterator[Problem]:
    parts: list[tuple[str, Mapping[str, object], Collection[str]]] = [
        ("", content, ALL_FIELDS),
        ("metadata.", metadata, Metadata.__annotations__),
    ]
    for i, sessions in enumerate(items_of(metadata.get("haystack_sessions"))):
        for j, turns in enumerate(items_of(sessions)):
            for k, turn in enumerate(items_of(turns)):
                place = f"metadata.haystack_sessions[{i}][{j}][{k}]."
                parts.append((place, fields_of(turn), Turn.__annotations__))
    for place, fields, names in parts:
        for name in fields:
            if name not in names:
                yield record.warning(f"{place}{name}", UNKNOWN_FIELD, f"only {', '.join(names)}")
