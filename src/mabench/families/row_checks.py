"""Checks that ``mabench data validate`` makes of the rows of several families."""

from __future__ import annotations

from collections.abc import Container, Iterator

from mabench.data import Problem, RowContent
from mabench.data.records import Record
from mabench.data.validation import RowCheck


def needs_metadata(family: str, *names: str) -> RowCheck:
    """Return a check that a row or its metadata has these fields, without which scores lack."""

    def check(record: Record, content: RowContent, _: Container[int] | None) -> Iterator[Problem]:
        for name in names:
            of_row = name in RowContent.model_fields
            if not (content[name] if of_row else content.metadata.get(name)):
                field = name if of_row else f"metadata.{name}"
                yield record.warning(field, "nothing", f"a list, as {family} rows have")

    return check
