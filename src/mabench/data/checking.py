"""From a record to a row: what every row must be, whatever its family."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress

from pydantic import ValidationError

from mabench.data.inventory import BY_NAME, Source
from mabench.data.problems import (
    TEXT,
    UNKNOWN_FIELD,
    Problem,
    alike,
    describe,
    describe_alike,
)
from mabench.data.records import ALL_FIELDS, FIELDS, Record, fields_of, items_of
from mabench.data.schema import Metadata, Question, Row, RowContent, Turn
from mabench.data.sources.declarations import SOURCES_FILE, explain_unknown
from mabench.data.turns.faults import find_faults
from mabench.data.turns.lists import join_turns
from mabench.data.turns.zones import find_zone, with_zone
from mabench.errors import EXPECTED, DataError
from mabench.json_text import has_surrogates
from mabench.printable import write_count

ID_FIELDS = ("qa_pair_ids", "question_ids")
# What is expected in place of what the schema refuses, by the kind of the fault.
_OBJECT = dict.fromkeys(("dict_type", "model_type"), "an object")
_EXPECTED = {**EXPECTED, **_OBJECT, "missing": "this field"}


def read_rows(
    records: Iterable[Record | Problem], sources: Mapping[str, Source] = BY_NAME
) -> Iterator[Row]:
    """Turn records into rows, numbered by split.

    Raises ``DataError`` for the first error, with how often it occurs in all records.
    """
    counts: Counter[str] = Counter()
    left = iter(records)
    for record in left:
        content, problems = _read(record, sources)
        if problems:
            with suppress(DataError):  # The first error is told, whatever else comes.
                problems += (error for other in left for error in _read(other, sources)[1])
            line = next(describe_alike(alike(problems)[0]))
            raise DataError(f"{line} (`mabench data validate` lists every problem)")
        if isinstance(record, Problem) or content is None:
            continue
        source = content.metadata["source"]
        if not record.split and source not in sources:
            raise DataError(_unknown_source(record, source, sources).text)
        split = record.split or sources[source].split
        yield Row.model_construct(**dict(content), split=split, index=counts[split])
        counts[split] += 1


def _read(
    record: Record | Problem, sources: Mapping[str, Source]
) -> tuple[RowContent | None, list[Problem]]:
    """Return the content of a record, if it is right, and its errors."""
    if isinstance(record, Problem):
        return None, [record] if record.severity == "error" else []
    fields, content, problems = _parse(record, sources)
    return content, [*problems, *(_check_answers(record, fields) if content else ())]


def examine_record(
    record: Record, sources: Mapping[str, Source]
) -> tuple[Mapping[str, object], RowContent | None, list[Problem]]:
    """Return the fields of a record, its content if it follows the schema, and every problem.

    Beyond types these are blank texts, repeated ids, and names that are not in ``sources``.
    """
    fields, content, problems = _parse(record, sources)
    if isinstance(record.content, Mapping):
        problems += _check_fields(record, fields, sources)
    return fields, content, problems


def _parse(
    record: Record, sources: Mapping[str, Source]
) -> tuple[Mapping[str, object], RowContent | None, list[Problem]]:
    """Return the fields of a record, a list of turns joined; its content if right; the problems."""
    fields, content = record.content, None
    if not isinstance(fields, Mapping):
        expected = f"an object with {', '.join(FIELDS)}"
        return {}, None, [record.error(None, describe(fields), expected)]
    metadata = fields_of(fields.get("metadata"))
    source = sources.get(str(metadata.get("source")))
    if source is not None and source.timezone is not None:
        fields = with_zone(fields, find_zone(source.timezone))
    turns = fields.get("context")
    if isinstance(turns, list):
        joined, faults = join_turns(turns)
        if faults:
            problems = [record.error(at, describe(it), want) for at, it, want in faults]
            return fields, None, problems
        fields = {**fields, **joined}
    problems = []
    try:
        content = RowContent.model_validate(dict(fields))
    except ValidationError as error:
        for fault in error.errors(include_url=False):
            steps = (f"[{step}]" if isinstance(step, int) else f".{step}" for step in fault["loc"])
            found = "nothing" if fault["type"] == "missing" else describe(fault["input"])
            expected = _EXPECTED.get(fault["type"], "a value of another kind")
            problems.append(record.error("".join(steps).lstrip("."), found, expected))
    for field, value, expected in find_faults(content) if content else ():
        problems.append(record.error(field, describe(value), expected))
    problems += _check_lengths(record, fields, metadata)
    problems += _check_characters(record, fields)
    return fields, (None if problems else content), problems


def _check_lengths(
    record: Record, fields: Mapping[str, object], metadata: Mapping[str, object]
) -> Iterator[Problem]:
    """Yield the lists that have another number of items than there are questions."""
    questions = fields.get("questions")
    if not isinstance(questions, list):
        return
    aligned = {"answers": fields.get("answers"), **Question.lists_of(fields, metadata)}
    for field, value in aligned.items():
        if isinstance(value, list) and len(value) != len(questions):
            expected = f"{len(questions)}, one for each of the questions"
            yield record.error(field, write_count(len(value), "item"), expected)


def _number_items(place: str, value: object) -> Iterator[tuple[str, object]]:
    """Yield the items of a list with their places; nothing of what is no list."""
    if isinstance(value, list):
        for i, item in enumerate(value):
            yield f"{place}[{i}]", item


def _check_fields(
    record: Record, fields: Mapping[str, object], sources: Mapping[str, Source]
) -> Iterator[Problem]:
    metadata = fields_of(fields.get("metadata"))
    texts = [
        ("context", fields.get("context")),
        *_number_items("questions", fields.get("questions")),
    ]
    for place, text in texts:
        if _is_blank(text):
            yield record.error(place, describe(text), TEXT)
    yield from _check_answers(record, fields)
    name = metadata.get("source")
    if isinstance(name, str):
        source = sources.get(name)
        if source is None:
            yield _unknown_source(record, name, sources)
        elif record.split not in (None, source.split):
            expected = f"a source of the split {record.split} ({name} is of {source.split})"
            yield record.error("metadata.source", describe(name), expected)
        elif source.asked_after is not None:
            yield from _check_points(record, fields, source.asked_after)
    known, report = fields.get("context"), record.error
    expected = "text that occurs in the context, word for word"
    if fields.get("turns") is not None:
        # Of published ones, which are of a split, this is told where they are read.
        known = _names_of_turns(fields, "id", "session") if record.split is None else None
        report = record.warning
        expected = "the id of a turn of the row; others tell no evidence"
    if isinstance(known, str | set):
        for place, quotes in _number_items("evidence", fields.get("evidence")):
            for inner, quote in _number_items(place, quotes):
                if isinstance(quote, str) and (_is_blank(quote) or quote not in known):
                    yield report(inner, describe(quote), expected)
    if metadata and metadata.get("qa_pair_ids") is None:
        report = record.error if str(name) in BY_NAME else record.warning
        yield report("metadata.qa_pair_ids", "nothing", "one id for each question")
    for field in ID_FIELDS:
        first: dict[str, str] = {}
        for place, value in _number_items(field, metadata.get(field)):
            if isinstance(value, str) and first.setdefault(value, place) != place:
                expected = f"a unique id ({first[value]} has the same)"
                yield record.error(f"metadata.{place}", describe(value), expected)
    yield from _check_field_names(record, fields, metadata)


def _is_blank(value: object) -> bool:
    return isinstance(value, str) and not value.strip()


def _unknown_source(record: Record, name: str, sources: Mapping[str, Source]) -> Problem:
    expected, paste = explain_unknown(name, sources)
    return record.error("metadata.source", describe(name), expected)._replace(paste=paste)


def _check_answers(record: Record, fields: Mapping[str, object]) -> Iterator[Problem]:
    """Yield where a row asks nothing, or where no answer could be right, or every one is."""
    if fields.get("questions") == []:
        yield record.error("questions", "an empty list", "at least one question")
    for place, golds in _number_items("answers", fields.get("answers")):
        if golds == []:
            yield record.error(place, "an empty list", "at least one candidate")
        for inner, gold in _number_items(place, golds):
            if _is_blank(gold):
                yield record.error(inner, describe(gold), TEXT)


def _check_characters(record: Record, fields: Mapping[str, object]) -> Iterator[Problem]:
    """Yield the texts that hold half a character, which no file of rows can keep."""
    texts = [text for name in ALL_FIELDS for text in _texts_within(name, fields.get(name))]
    if has_surrogates("".join(text for _, text in texts)):
        for place, text in texts:
            if has_surrogates(text):
                yield record.error(place, describe(text), _EXPECTED["string_unicode"])


def _texts_within(place: str, value: object) -> Iterator[tuple[str, str]]:
    """Yield the texts in a value, with their places."""
    if isinstance(value, str):
        yield place, value
    elif isinstance(value, list):
        for i, item in enumerate(value):
            yield from _texts_within(f"{place}[{i}]", item)
    elif isinstance(value, Mapping):
        for name, part in value.items():
            yield from _texts_within(f"{place}.{name}", part)


def _names_of_turns(fields: Mapping[str, object], *keys: str) -> set[str]:
    names = (fields_of(turn).get(key) for turn in items_of(fields.get("turns")) for key in keys)
    return {name for name in names if isinstance(name, str)}


def _check_points(record: Record, fields: Mapping[str, object], kind: str) -> Iterator[Problem]:
    """Yield the questions that do not say, by a turn or a time, up to where they may know."""
    turns = _names_of_turns(fields, "id")
    points = items_of(fields.get("asked_after"))
    for i in range(len(items_of(fields.get("questions")))):
        point = points[i] if i < len(points) else None
        if point is None or (point in turns) != (kind == "turn"):
            found = "nothing" if point is None else describe(point)
            what = "the id of a turn" if kind == "turn" else "a day, or a time with its zone"
            yield record.error(f"asked_after[{i}]", found, f"{what}, as {SOURCES_FILE} says")


def _check_field_names(
    record: Record, fields: Mapping[str, object], metadata: Mapping[str, object]
) -> Iterator[Problem]:
    parts = [("", fields, [*ALL_FIELDS]), ("metadata.", metadata, [*Metadata.__annotations__])]
    haystacks = _number_items("metadata.haystack_sessions", metadata.get("haystack_sessions"))
    sessions = (each for place, haystack in haystacks for each in _number_items(place, haystack))
    for place, session in sessions:
        for at, turn in _number_items(place, session):
            parts.append((f"{at}.", fields_of(turn), [*Turn.__annotations__]))
    for place, own, names in parts:
        for name in own:
            if name not in names:
                yield record.warning(f"{place}{name}", UNKNOWN_FIELD, f"only {', '.join(names)}")
