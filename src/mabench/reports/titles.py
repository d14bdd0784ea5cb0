"""Made-up rows under the titles of their sources, never by a length that they do not have."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace

from mabench.reports.layout import Report
from mabench.reports.tables import Table, Value
from mabench.results import ScoreSummary

# By the name of a source.
Titles = Mapping[str, str]


def titles_of(summaries: Iterable[ScoreSummary]) -> Titles:
    """Return what the sources of made-up rows in some summaries are called."""
    return {name: title for each in summaries for name, title in (each.titles or {}).items()}


def retitle(report: Report, titles: Titles) -> Report:
    """Return a report with titles in the place of names: whole in tables, brief in sentences."""
    if not titles:
        return report
    return report._replace(
        tables=[retitle_table(table, titles) for table in report.tables],
        remarks=[retitle_text(remark, titles) for remark in report.remarks],
    )


def retitle_table(table: Table, titles: Titles) -> Table:
    """Return a table with titles in the place of names."""

    def cell(value: Value) -> Value:
        return titles.get(value, value) if isinstance(value, str) else value

    def header(title: str) -> str:
        name, space, rest = title.partition(" ")
        return f"{titles.get(name, name)}{space}{rest}"

    columns = [replace(column, title=header(column.title)) for column in table.columns]
    return table._replace(columns=columns, values=[[*map(cell, row)] for row in table.values])


def retitle_text(text: str, titles: Titles) -> str:
    """Return a sentence in which sources have their titles, without what all of them say."""
    for name, title in titles.items():
        brief = title.replace(", made up", "").replace(", ", " of ", 1)
        text = re.sub(rf"(?<![\w*/]){re.escape(name)}(?![\w*])", brief.replace("\\", ""), text)
    return text
