"""What sources of made-up rows are called, in the place of their names, wherever these stand."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Protocol, TypeVar, cast, runtime_checkable

from mabench.reports.tables import Table
from mabench.results import ScoreSummary

Titles = Mapping[str, str]  # By name.
_UNTITLED = ("name", "drawing", "strips")  # Fields without names of sources that a reader sees.
_T = TypeVar("_T")


def titles_of(summaries: Iterable[ScoreSummary]) -> Titles:
    """Return what the sources of made-up rows in some summaries are called."""
    return {name: title for each in summaries for name, title in (each.titles or {}).items()}


@runtime_checkable
class _Parts(Protocol):
    """A named tuple of what is shown."""

    def _asdict(self) -> dict[str, object]: ...

    def _replace(self, **parts: object) -> object: ...


def retitle(value: _T, titles: Titles) -> _T:
    """Return what is shown with titles in the place of names, but for what is drawn already.

    They stand whole in tables, and brief, without what all of them say, in sentences.
    """
    shown: object = value
    if isinstance(value, str):
        text = str(value)
        for name, title in titles.items():
            brief = title.replace(", made up", "").replace(", ", " of ", 1).replace("\\", "")
            text = re.sub(rf"(?<![\w*/]){re.escape(name)}(?![\w*])", brief, text)
        shown = text
    elif isinstance(value, Table):
        heads = (column.title.partition(" ") for column in value.columns)
        named = ["".join([titles.get(name, name), *rest]) for name, *rest in heads]
        shown = value._replace(
            columns=[
                replace(column, title=title)
                for column, title in zip(value.columns, named, strict=True)
            ],
            values=[
                [titles.get(cell, cell) if isinstance(cell, str) else cell for cell in row]
                for row in value.values
            ],
        )
    elif isinstance(value, _Parts):
        parts = {name: part for name, part in value._asdict().items() if name not in _UNTITLED}
        shown = value._replace(**{name: retitle(part, titles) for name, part in parts.items()})
    elif isinstance(value, list | tuple):
        shown = [retitle(part, titles) for part in value]
    return cast(_T, shown)
