"""Every departure of a data set from the schema and the inventory, not only the first."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Container, Iterator

from mabench.data.dataset import Dataset, open_dataset
from mabench.data.entities import read_entities
from mabench.data.fingerprint import canonical
from mabench.data.problems import Problem
from mabench.data.records import Record, parse
from mabench.data.schema import RowContent
from mabench.data.validation.family_checks import check_family
from mabench.data.validation.row_checks import UNKNOWN_FIELD, check_row, fields_of, items_of
from mabench.data.validation.set_checks import Outline, check_counts, check_order, check_repeats
from mabench.errors import DataError


def validate(data: object, *, complete: bool = False, offline: bool = False) -> list[Problem]:
    """Return every problem of a data set, in the order of its rows, then those of the whole.

    Files that cannot be read are problems too; a bad row does not stop the others.

    Args:
        data: what ``open_dataset`` takes, or an open data set.
        complete: whether the data should be all of the public data set: counts that differ
            from the inventory are then errors, not warnings, and the order of rows counts.
        offline: never touch the network.

    Raises:
        UsageError: when ``data`` is of no kind that can hold rows.
    """
    try:
        dataset = open_dataset(data, offline=offline)
    except DataError as error:
        return [Problem("error", str(data), None, None, str(error), "a data set to read")]
    entity_ids, problems = _entity_ids(dataset)
    rows: list[Outline] = []
    for record in dataset.records():
        problems += _record_problems(record, entity_ids, rows)
    if not rows and all(problem.severity == "warning" for problem in problems):
        problems.append(Problem("error", dataset.name, None, None, "no rows", "at least one row"))
    problems += check_repeats(rows)
    problems += check_counts(rows, dataset.name, complete)
    problems += check_order(rows) if complete else ()
    return _named_once(problems)


def _entity_ids(dataset: Dataset) -> tuple[Container[int] | None, list[Problem]]:
    """Return the known entity ids, None without any, and what is wrong with their file."""
    problems: list[Problem] = []
    if dataset.entities_file is None:
        entities = dataset.entities
    else:
        entities, problems = read_entities(dataset.entities_file)
    return (set(entities.values()) if entities else None), problems


def _record_problems(
    record: Record | Problem, entity_ids: Container[int] | None, rows: list[Outline]
) -> Iterator[Problem]:
    """Yield the problems of one row, and add its outline to ``rows``."""
    if isinstance(record, Problem):
        yield record
        return
    content, problems = parse(record)
    yield from problems
    yield from check_row(record)
    if content is not None:
        yield from check_family(record, content, entity_ids)
    rows.append(_outline(record, content))


def _outline(record: Record, content: RowContent | None) -> Outline:
    fields = fields_of(record.content)
    metadata = fields_of(fields.get("metadata"))
    return Outline(
        place=record._replace(content=None),
        source=str(metadata.get("source")),
        questions=len(items_of(fields.get("questions"))),
        qa_pair_ids=_strings(metadata.get("qa_pair_ids")),
        question_ids=_strings(metadata.get("question_ids")),
        digest=hashlib.sha256(canonical(content)).digest() if content is not None else None,
    )


def _strings(value: object) -> tuple[str, ...]:
    return tuple(str(item) for item in items_of(value))


def _named_once(problems: list[Problem]) -> list[Problem]:
    """Return ``problems`` with each unknown field of a file only where it stands first."""
    seen: set[tuple[str, str]] = set()
    kept = []
    for problem in problems:
        if problem.found == UNKNOWN_FIELD:
            key = problem.file, re.sub(r"\d+", "", problem.field or "")
            if key in seen:
                continue
            seen.add(key)
        kept.append(problem)
    return kept
