"""From a record to a row: what every row must be, whatever its family."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
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
from mabench.data.turns.faults import Fault, find_faults
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
    remaining = iter(records)
    for record in remaining:
        content, errors = _read(record, sources)
        if errors:
            raise _first_error(errors, remaining, sources)
        if isinstance(record, Problem) or content is None:
            continue  # A warning.
        source = content.metadata["source"]
        if not record.split and source not in sources:
            raise DataError(_unknown_source(record, source, sources).text)
        split = record.split or sources[source].split
        yield Row.model_construct(**dict(content), split=split, index=counts[split])
        counts[split] += 1


def _first_error(
    errors: Sequence[Problem],
    remaining: Iterable[Record | Problem],
    sources: Mapping[str, Source],
) -> DataError:
    """Return the first of ``errors``, with how often it occurs in them and in what remains."""
    all_errors = [*errors]
    with suppress(DataError):  # What cannot be read later does not hide the first error.
        for record in remaining:
            all_errors += _read(record, sources)[1]
    line = next(describe_alike(alike(all_errors)[0]))
    return DataError(f"{line} (`mabench data validate` lists every problem)")


def _read(
    record: Record | Problem, sources: Mapping[str, Source]
) -> tuple[RowContent | None, list[Problem]]:
    """Return the content of a record, or None if it does not follow the schema; and its errors.

    A problem of the reader has no content, and is an error itself unless it is a warning.
    """
    if isinstance(record, Problem):
        return None, [record] if record.severity == "error" else []
    fields, content, errors = _parse(record, sources)
    if content is not None:
        errors += _check_answers(record, fields)
    return content, errors


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
    """Return the fields of a record, its content, and its departures from the schema.

    The fields are as in the file, but a context that is a list of turns is joined to text, and
    times have the zone of the source. They are empty for a record that is no object. The content
    is None where there is any departure.
    """
    if not isinstance(record.content, Mapping):
        expected = f"an object with {', '.join(FIELDS)}"
        return {}, None, [record.error(None, describe(record.content), expected)]
    fields: Mapping[str, object] = record.content
    metadata = fields_of(fields.get("metadata"))
    source = sources.get(str(metadata.get("source")))
    if source is not None and source.timezone is not None:
        fields = with_zone(fields, find_zone(source.timezone))
    turns = fields.get("context")
    if isinstance(turns, list):
        joined, faults = join_turns(turns)
        if faults:
            return fields, None, _as_errors(record, faults)
        fields = {**fields, **joined}
    content, problems = _validate(record, fields)
    if content is not None:
        problems += _as_errors(record, find_faults(content))
    problems += _check_lengths(record, fields, metadata)
    problems += _check_characters(record, fields)
    return fields, (None if problems else content), problems


def _as_errors(record: Record, faults: Iterable[Fault]) -> list[Problem]:
    return [record.error(field, describe(value), expected) for field, value, expected in faults]


def _validate(
    record: Record, fields: Mapping[str, object]
) -> tuple[RowContent | None, list[Problem]]:
    """Return the content that fields hold by the types of the schema, or else what departs."""
    try:
        return RowContent.model_validate(dict(fields)), []
    except ValidationError as error:
        problems = []
        for fault in error.errors(include_url=False):
            found = "nothing" if fault["type"] == "missing" else describe(fault["input"])
            expected = _EXPECTED.get(fault["type"], "a value of another kind")
            problems.append(record.error(_write_path(fault["loc"]), found, expected))
        return None, problems


def _write_path(steps: Iterable[int | str]) -> str:
    """Return steps into a row as one path: ``answers[3][1]`` of ``("answers", 3, 1)``."""
    path = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in steps)
    return path.lstrip(".")


def _check_lengths(
    record: Record, fields: Mapping[str, object], metadata: Mapping[str, object]
) -> Iterator[Problem]:
    """Yield the lists with an item for each question that have too many or too few."""
    questions = fields.get("questions")
    if not isinstance(questions, list):
        return
    lists = {"answers": fields.get("answers"), **Question.lists_of(fields, metadata)}
    for field, value in lists.items():
        if isinstance(value, list) and len(value) != len(questions):
            expected = f"{len(questions)}, one for each of the questions"
            yield record.error(field, write_count(len(value), "item"), expected)


def _number_items(place: str, value: object) -> Iterator[tuple[str, object]]:
    """Yield the items of a list with their places, as ``questions[0]``; none of other values."""
    if isinstance(value, list):
        for i, item in enumerate(value):
            yield f"{place}[{i}]", item


def _check_fields(
    record: Record, fields: Mapping[str, object], sources: Mapping[str, Source]
) -> Iterator[Problem]:
    """Yield what is wrong with the fields of a row beyond their types."""
    metadata = fields_of(fields.get("metadata"))
    yield from _check_texts(record, fields)
    yield from _check_answers(record, fields)
    yield from _check_source(record, fields, metadata.get("source"), sources)
    yield from _check_evidence(record, fields)
    yield from _check_ids(record, metadata)
    yield from _check_field_names(record, fields, metadata)


def _check_texts(record: Record, fields: Mapping[str, object]) -> Iterator[Problem]:
    """Yield a blank context and blank questions."""
    questions = _number_items("questions", fields.get("questions"))
    for place, text in [("context", fields.get("context")), *questions]:
        if _is_blank(text):
            yield record.error(place, describe(text), TEXT)


def _check_source(
    record: Record, fields: Mapping[str, object], name: object, sources: Mapping[str, Source]
) -> Iterator[Problem]:
    """Yield a source that is unknown or of another split, and what a row of it must say."""
    if not isinstance(name, str):
        return
    source = sources.get(name)
    if source is None:
        yield _unknown_source(record, name, sources)
    elif record.split not in (None, source.split):
        expected = f"a source of the split {record.split} ({name} is of {source.split})"
        yield record.error("metadata.source", describe(name), expected)
    elif source.asked_after is not None:
        yield from _check_points(record, fields, source.asked_after)


def _check_evidence(record: Record, fields: Mapping[str, object]) -> Iterator[Problem]:
    """Yield the evidence that is not in the row: an error for a quote, a warning for an id.

    The ids of rows with a split are left out: those of published files are checked as they are
    converted to rows.
    """
    context = fields.get("context")
    if fields.get("turns") is not None:
        if record.split is not None:
            return
        turn_names = _names_of_turns(fields, "id", "session")
        expected = "the id of a turn of the row; others tell no evidence"
        for place, name in _evidence_of(fields):
            if _is_blank(name) or name not in turn_names:
                yield record.warning(place, describe(name), expected)
    elif isinstance(context, str):
        expected = "text that occurs in the context, word for word"
        for place, quote in _evidence_of(fields):
            if _is_blank(quote) or quote not in context:
                yield record.error(place, describe(quote), expected)


def _evidence_of(fields: Mapping[str, object]) -> Iterator[tuple[str, str]]:
    """Yield the texts in the evidence of all questions, with their places."""
    for question_place, texts in _number_items("evidence", fields.get("evidence")):
        for place, text in _number_items(question_place, texts):
            if isinstance(text, str):
                yield place, text


def _check_ids(record: Record, metadata: Mapping[str, object]) -> Iterator[Problem]:
    """Yield missing ids of questions, and ids that occur twice in the row."""
    if metadata and metadata.get("qa_pair_ids") is None:
        is_of_benchmark = str(metadata.get("source")) in BY_NAME
        report = record.error if is_of_benchmark else record.warning
        yield report("metadata.qa_pair_ids", "nothing", "one id for each question")
    for field in ID_FIELDS:
        first_places: dict[str, str] = {}
        for place, value in _number_items(field, metadata.get(field)):
            if not isinstance(value, str):
                continue
            first_place = first_places.setdefault(value, place)
            if first_place != place:
                expected = f"a unique id ({first_place} has the same)"
                yield record.error(f"metadata.{place}", describe(value), expected)


def _is_blank(value: object) -> bool:
    return isinstance(value, str) and not value.strip()


def _unknown_source(record: Record, name: str, sources: Mapping[str, Source]) -> Problem:
    expected, paste = explain_unknown(name, sources)
    return record.error("metadata.source", describe(name), expected)._replace(paste=paste)


def _check_answers(record: Record, fields: Mapping[str, object]) -> Iterator[Problem]:
    """Yield an empty list of questions, empty lists of golds, and blank golds.

    Without a gold no answer is right; with a blank one every answer could be.
    """
    if fields.get("questions") == []:
        yield record.error("questions", "an empty list", "at least one question")
    for place, golds in _number_items("answers", fields.get("answers")):
        if golds == []:
            yield record.error(place, "an empty list", "at least one candidate")
        for inner, gold in _number_items(place, golds):
            if _is_blank(gold):
                yield record.error(inner, describe(gold), TEXT)


def _check_characters(record: Record, fields: Mapping[str, object]) -> Iterator[Problem]:
    """Yield the texts that hold half of a surrogate pair, which UTF-8 cannot write."""
    texts = [text for name in ALL_FIELDS for text in _texts_within(name, fields.get(name))]
    if not has_surrogates("".join(text for _, text in texts)):
        return  # As nearly always: one look at all texts is quicker than one at each.
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
    """Return the texts that the turns of a row have in the fields ``keys``, such as ``id``."""
    names = (fields_of(turn).get(key) for turn in items_of(fields.get("turns")) for key in keys)
    return {name for name in names if isinstance(name, str)}


def _check_points(record: Record, fields: Mapping[str, object], kind: str) -> Iterator[Problem]:
    """Yield the questions without an ``asked_after`` of the ``kind`` that their source declares.

    ``kind`` is ``turn`` for the id of a turn, or ``time``.
    """
    wants_turn = kind == "turn"
    what = "the id of a turn" if wants_turn else "a day, or a time with its zone"
    expected = f"{what}, as {SOURCES_FILE} says"
    turn_ids = _names_of_turns(fields, "id")
    points = items_of(fields.get("asked_after"))
    for i in range(len(items_of(fields.get("questions")))):
        point = points[i] if i < len(points) else None
        if point is None:
            yield record.error(f"asked_after[{i}]", "nothing", expected)
            continue
        is_turn = isinstance(point, str) and point in turn_ids
        if is_turn != wants_turn:
            yield record.error(f"asked_after[{i}]", describe(point), expected)


def _check_field_names(
    record: Record, fields: Mapping[str, object], metadata: Mapping[str, object]
) -> Iterator[Problem]:
    """Yield the fields that rows do not have: of the row, its metadata, and its marked turns."""
    yield from _unknown_fields(record, "", fields, ALL_FIELDS)
    yield from _unknown_fields(record, "metadata.", metadata, Metadata.__annotations__)
    haystacks = metadata.get("haystack_sessions")
    for haystack_place, haystack in _number_items("metadata.haystack_sessions", haystacks):
        for session_place, session in _number_items(haystack_place, haystack):
            for turn_place, turn in _number_items(session_place, session):
                turn_fields = fields_of(turn)
                prefix = f"{turn_place}."
                yield from _unknown_fields(record, prefix, turn_fields, Turn.__annotations__)


def _unknown_fields(
    record: Record, prefix: str, fields: Mapping[str, object], names: Collection[str]
) -> Iterator[Problem]:
    """Yield a warning for each field that is none of ``names``; ``prefix`` leads to the fields."""
    for name in fields:
        if name not in names:
            yield record.warning(f"{prefix}{name}", UNKNOWN_FIELD, f"only {', '.join(names)}")
