"""Checks that ``mabench data validate`` makes of the rows of several families."""

from __future__ import annotations

from collections.abc import Container, Iterator

from mabench.data import Problem, RowContent
from mabench.data.records import Record
from mabench.data.validation import RowCheck


def needs_metadata(family: str, *names: str) -> RowCheck:
    """Return a check that rows have these fields, in the row or in its metadata."""

    def check(record: Record, content: RowContent, _: Container[int] | None) -> Iterator[Problem]:
        for name in names:
            if name in RowContent.model_fields:
                field, value = name, content[name]
            else:
                field, value = f"metadata.{name}", content.metadata.get(name)
            if not value:
                yield record.warning(field, "nothing", f"a list, as {family} rows have")

    return check
