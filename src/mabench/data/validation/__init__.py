"""Every departure of a data set from the schema and the inventory, not only the first."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Container, Iterator, Sequence
from typing import Protocol

from mabench.data.dataset import Dataset
from mabench.data.entities import read_entities
from mabench.data.fingerprint import canonical
from mabench.data.inventory import Source, declarations
from mabench.data.problems import Problem, Severity
from mabench.data.records import Record, parse
from mabench.data.schema import RowContent
from mabench.data.validation.row_checks import UNKNOWN_FIELD, check_row, fields_of, items_of
from mabench.data.validation.set_checks import Outline, check_counts, check_order, check_repeats

# Yields what is wrong with a row of a family: its place, its content, which follows the schema,
# and the known ids of recommendation golds, or None when they are not known.
RowCheck = Callable[[Record, RowContent, Container[int] | None], Iterator[Problem]]


class RowRules(Protocol):
    """What the rows of a source must be beyond what every row must; a family has it."""

    @property
    def row_checks(self) -> Sequence[RowCheck]:
        """The checks of a single row."""

    @property
    def repeated_ids(self) -> Severity | None:
        """How a question's id is reported that an earlier row has; None where ids restart."""


def find_problems(
    dataset: Dataset,
    *,
    complete: bool = False,
    rules: Callable[[Source], RowRules] | None = None,
) -> list[Problem]:
    """Return every problem of a data set, in the order of its rows, then those of the whole.

    Files that cannot be read are problems too; a bad row does not stop the others.

    Args:
        dataset: the data set.
        complete: whether it should be all of the public data set: counts that differ from the
            inventory are then errors, not warnings, and the order of rows counts.
        rules: what rows of a source must be beyond the schema; nothing when None.
    """
    entity_ids, problems = _entity_ids(dataset)
    rows: list[Outline] = []
    for record in dataset.records():
        if isinstance(record, Problem):
            problems.append(record)
            continue
        source = dataset.sources.get(_source_name(record))
        own = rules(source) if rules and source else None
        content, schema_problems = parse(record)
        problems += schema_problems
        problems += check_row(record, dataset.sources)
        if own and content is not None:
            problems += (p for check in own.row_checks for p in check(record, content, entity_ids))
        rows.append(_outline(record, content, own.repeated_ids if own else "error"))
    if not rows and all(problem.severity == "warning" for problem in problems):
        problems.append(Problem("error", dataset.name, None, None, "no rows", "at least one row"))
    problems += check_repeats(rows)
    declared = declarations(dataset.sources)  # There are no figures to compare their counts with.
    if complete or not rows or any(row.source not in declared for row in rows):
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


def _outline(record: Record, content: RowContent | None, repeated_ids: Severity | None) -> Outline:
    fields = fields_of(record.content)
    metadata = fields_of(fields.get("metadata"))
    return Outline(
        place=record._replace(content=None),
        source=_source_name(record),
        questions=len(items_of(fields.get("questions"))),
        qa_pair_ids=_strings(metadata.get("qa_pair_ids")),
        question_ids=_strings(metadata.get("question_ids")),
        repeated_ids=repeated_ids,
        digest=hashlib.sha256(canonical(content)).digest() if content is not None else None,
    )


def _source_name(record: Record) -> str:
    return str(fields_of(fields_of(record.content).get("metadata")).get("source"))


def _strings(value: object) -> tuple[str, ...]:
    return tuple(str(item) for item in items_of(value))


def _named_once(problems: list[Problem]) -> list[Problem]:
    """Return ``problems`` with each unknown field of a file only where it stands first."""
    seen: set[tuple[str, str]] = set()
    listed = []
    for problem in problems:
        if problem.found == UNKNOWN_FIELD:
            key = problem.file, re.sub(r"\d+", "", problem.field or "")
            if key in seen:
                continue
            seen.add(key)
        listed.append(problem)
    return listed
