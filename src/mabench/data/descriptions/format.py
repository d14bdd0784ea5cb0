"""A format of files that a description describes."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path

from mabench.data.descriptions.forms import Description, read_description
from mabench.data.descriptions.rows import describe_row
from mabench.data.formats import DataFormat
from mabench.data.inventory import Source
from mabench.data.problems import Problem
from mabench.data.records import Record


def described_format(file: Path) -> DataFormat:
    """Return the format that a description file describes; raises ``DataError`` for its faults."""
    return format_of(read_description(file))


def format_of(form: Description, source: Source | None = None) -> DataFormat:
    """Return the format of a description; ``source`` is that of its rows, if it names none."""
    rows = partial(describe_row, form, source=source)

    def read(path: Path) -> Iterator[Record | Problem]:
        for record in form.join(path):
            if isinstance(record, Problem):
                yield record
            else:
                yield from rows(record)

    def sources_in(path: Path) -> list[Source]:
        return [named[name] for name in form.sources_at(path)]

    named = {one.name: one.source for one in form.sources}
    named |= {} if source is None else {source.name: source}
    return DataFormat(
        sources=tuple(named.values()),
        published=form.published,
        fields=frozenset(form.fields),
        fits=form.fits,
        items=form.items,
        rows=None if form.find else rows,
        find=form.find,
        read=read if form.find else None,
        sources_in=sources_in if form.sources_at else None,
    )
