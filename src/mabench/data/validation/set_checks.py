"""What holds between the rows of a data set: nothing twice, and the inventory's figures."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from mabench.data.inventory import BY_NAME, SOURCES
from mabench.data.problems import Problem, Severity, shown
from mabench.data.records import Record


class Outline(NamedTuple):
    """What is remembered of a row once it has been read: its place without content, its names.

    Attributes:
        repeated_ids: how an id of a question is reported that an earlier row of the source has;
            None for a source whose ids restart in every row.
        digest: identifies the content; None for a row that departs from the schema.
    """

    place: Record
    source: str
    questions: int
    qa_pair_ids: tuple[str, ...]
    question_ids: tuple[str, ...]
    repeated_ids: Severity | None
    digest: bytes | None


def check_repeats(rows: Iterable[Outline]) -> Iterator[Problem]:
    """Yield rows that stand twice, and ids that a row shares with an earlier one."""
    contents: dict[bytes, Record] = {}
    ids: dict[tuple[str, str, str], Record] = {}
    for row in rows:
        if row.digest is not None:
            first = contents.setdefault(row.digest, row.place)
            if first is not row.place:
                same = f"the same row as {first.file}, row {first.row}"
                yield row.place.error(None, same, "every row once")
                continue
        yield from _shared_ids(row, ids)


def check_counts(rows: Sequence[Outline], name: str, complete: bool) -> Iterator[Problem]:
    """Yield the sources whose rows or questions are not as many as in the inventory.

    Args:
        rows: all rows of the data set.
        name: the name of the data set.
        complete: whether a difference is an error, not a warning.
    """
    severity: Severity = "error" if complete else "warning"
    for source in SOURCES:
        own = [row.questions for row in rows if row.source == source.name]
        if (len(own), sum(own)) != (source.rows, source.questions):
            found = f"{len(own)} rows with {sum(own)} questions of {source.name}"
            expected = f"{source.rows} rows with {source.questions} questions"
            yield Problem(severity, name, None, "metadata.source", found, expected)


def check_order(rows: Iterable[Outline]) -> Iterator[Problem]:
    """Yield the rows that come after a row that they precede on the hub.

    The inventory lists the sources of each split in the order of the public files.
    """
    order = [source.name for source in SOURCES]
    last: dict[str, int] = {}
    for row in rows:
        if row.source not in BY_NAME:
            continue
        split, rank = BY_NAME[row.source].split, order.index(row.source)
        latest = last.setdefault(split, rank)
        if rank < latest:
            expected = f"rows of {row.source} before those of {order[latest]}, as on the hub"
            yield row.place.error("metadata.source", shown(row.source), expected)
        last[split] = max(rank, latest)


def _shared_ids(row: Outline, seen: dict[tuple[str, str, str], Record]) -> Iterator[Problem]:
    for name, ids in (("qa_pair_ids", row.qa_pair_ids), ("question_ids", row.question_ids)):
        if row.repeated_ids is None and name == "qa_pair_ids":
            continue
        report = row.place.warning if row.repeated_ids == "warning" else row.place.error
        for i, value in enumerate(ids):
            first = seen.setdefault((row.source, name, value), row.place)
            if first is not row.place:
                expected = f"an id that {first.file}, row {first.row} does not have"
                yield report(f"metadata.{name}[{i}]", shown(value), expected)
