"""Every departure of a data set from the schema and the inventory, not only the first."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from mabench.data.checking import ID_FIELDS, examine_record
from mabench.data.dataset import Dataset
from mabench.data.entities import read_entities
from mabench.data.inventory import BY_NAME, SOURCES, Source
from mabench.data.problems import Problem, Severity, describe
from mabench.data.records import Record, fields_of, items_of
from mabench.data.schema import RowContent
from mabench.data.sources.declarations import dump_declarations
from mabench.printable import write_count

# Yields what is wrong with a row of a family: its place, its content, which follows the schema,
# and the known ids of recommendation golds, or None when they are not known.
RowCheck = Callable[[Record, RowContent, Container[int] | None], Iterator[Problem]]


class _ReadRow(NamedTuple):
    place: Record  # Without its content.
    source: str
    questions: int
    ids: Mapping[str, Sequence[str]]  # By field, those that no earlier row of the source may have.
    repeated_ids: Severity  # How one is reported that an earlier row has.
    digest: bytes | None  # None for a row that departs from the schema.


def find_problems(
    dataset: Dataset,
    rules: Callable[[Source], tuple[Sequence[RowCheck], Severity | None]],
    *,
    complete: bool = False,
    histories: int = 0,
) -> list[Problem]:
    """Return every problem of a data set, in the order of its rows, then those of the whole.

    Files that cannot be read are problems too; a bad row does not stop the others.

    ``rules`` returns the checks of rows of a source beyond the schema, and how a question's id is
    reported that an earlier row has; None if ids restart. Where the data set should be
    ``complete``, as the public one is, counts that differ from the inventory are errors, not
    warnings, and the order of rows counts. ``histories`` is how many rows a declared source
    should have to conclude about others.
    """
    problems: list[Problem] = []
    entities = dataset.entity_ids
    if isinstance(entities, Path):
        entities, problems = read_entities(entities)
    entity_ids = set(entities.values()) if entities else None
    rows: list[_ReadRow] = []
    for record in dataset.records():
        if isinstance(record, Problem):
            problems.append(record)
            continue
        fields, content, found = examine_record(record, dataset.sources)
        source = dataset.sources.get(_source_name(fields))
        checks, repeated_ids = rules(source) if source else ((), "error")
        problems += found
        if content is not None:
            for check in checks:
                problems += check(record, content, entity_ids)
        rows.append(_without_content(record, fields, content, repeated_ids))
    if not rows and all(problem.severity == "warning" for problem in problems):
        problems.append(
            Problem(
                severity="error",
                file=dataset.name,
                row=None,
                field=None,
                found="no rows",
                expected="at least one row",
            )
        )
    problems += _check_repeats(rows)
    problems += _check_counts(rows, dataset, complete, histories)
    problems += _check_order(rows) if complete else ()
    return _without_repetitions(problems)


def _source_name(fields: Mapping[str, object]) -> str:
    return str(fields_of(fields.get("metadata")).get("source"))


def _without_content(
    record: Record,
    fields: Mapping[str, object],
    content: RowContent | None,
    repeated_ids: Severity | None,
) -> _ReadRow:
    """Return what is kept of a row to compare it with others; see ``find_problems``."""
    metadata = fields_of(fields.get("metadata"))
    # Where ids of pairs restart in each row, only the others must differ.
    unique_fields = ID_FIELDS if repeated_ids else ("question_ids",)
    return _ReadRow(
        place=record._replace(content=None),
        source=_source_name(fields),
        questions=len(items_of(fields.get("questions"))),
        ids={
            name: [str(value) for value in items_of(metadata.get(name))] for name in unique_fields
        },
        repeated_ids=repeated_ids or "error",
        digest=hashlib.sha256(content.canonical()).digest() if content else None,
    )


def _without_repetitions(problems: Iterable[Problem]) -> list[Problem]:
    """Return problems with each unknown field of a file once, and the same lines to paste once."""
    kept: list[Problem] = []
    unknown_fields: set[tuple[str, str]] = set()
    pasted: set[str] = set()
    for problem in problems:
        shown = problem
        if problem.paste is not None:
            if problem.paste in pasted:
                shown = problem._replace(paste=None)
            pasted.add(problem.paste)
        if problem.is_unknown_field:
            place = problem.file, re.sub(r"\d+", "", problem.field or "")
            if place in unknown_fields:
                continue
            unknown_fields.add(place)
        kept.append(shown)
    return kept


def _check_repeats(rows: Iterable[_ReadRow]) -> Iterator[Problem]:
    """Yield the rows that repeat an earlier one, and the ids that an earlier row has."""
    contents: dict[bytes, Record] = {}
    ids: dict[tuple[str, str, str], Record] = {}
    for row in rows:
        if row.digest is not None:
            first = contents.setdefault(row.digest, row.place)
            if first is not row.place:
                same = f"the same row as {first.file}, row {first.row}"
                yield row.place.error(None, same, "every row once")
                continue
        report = row.place.warning if row.repeated_ids == "warning" else row.place.error
        for name, values in row.ids.items():
            for i, value in enumerate(values):
                first = ids.setdefault((row.source, name, value), row.place)
                if first is not row.place:
                    expected = f"an id that {first.file}, row {first.row} does not have"
                    yield report(f"metadata.{name}[{i}]", describe(value), expected)


def _check_counts(
    rows: Sequence[_ReadRow], dataset: Dataset, complete: bool, histories: int
) -> Iterator[Problem]:
    """Yield sources of other counts than the inventory's, and declared ones of too few rows."""
    questions: dict[str, list[int]] = {}
    for row in rows:
        questions.setdefault(row.source, []).append(row.questions)

    def report(severity: Severity, found: str, expected: str) -> Problem:
        return Problem(severity, dataset.name, None, "metadata.source", found, expected)

    is_made_up = dataset.manifest is not None or dataset.made_up is not None
    is_published = bool(questions.keys() & BY_NAME) and not is_made_up
    for source in SOURCES if complete or is_published else ():
        own = questions.get(source.name, [])
        if (len(own), sum(own)) != (source.rows, source.questions):
            found = _write_counts(len(own), sum(own))
            expected = _write_counts(source.rows, source.questions)
            yield report("error" if complete else "warning", f"{found} of {source.name}", expected)
    for name in dump_declarations(dataset.sources):  # No figures to compare their counts with.
        number = len(questions.get(name, ()))
        if number < histories:
            listed = write_count(number, "history") if number else "no histories"
            fewer = "with fewer, scores and differences hold for these histories only"
            expected = f"at least {histories}: {fewer}, without an interval for new ones"
            yield report("warning", f"{listed} of {name}", expected)


def _write_counts(rows: int, questions: int) -> str:
    return f"{write_count(rows, 'row')} with {write_count(questions, 'question')}"


def _check_order(rows: Iterable[_ReadRow]) -> Iterator[Problem]:
    """Yield the rows that come after a row that they precede on the hub."""
    order = list(BY_NAME)
    latest_ranks: dict[str, int] = {}  # By split, the place of the latest source so far.
    for row in rows:
        if row.source not in BY_NAME:
            continue
        split, rank = BY_NAME[row.source].split, order.index(row.source)
        latest = latest_ranks.setdefault(split, rank)
        if rank < latest:
            expected = f"rows of {row.source} before those of {order[latest]}, as on the hub"
            yield row.place.error("metadata.source", describe(row.source), expected)
        latest_ranks[split] = max(rank, latest)
