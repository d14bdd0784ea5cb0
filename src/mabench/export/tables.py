"""A run as a flat table, one line for each question, in CSV and in Parquet."""

from __future__ import annotations

import csv
import re
from pathlib import Path

from mabench.json_text import to_json, without_surrogates
from mabench.results import QuestionRow, Run

# What spreadsheets take for the beginning of a formula, after anything that they may pass over.
_FORMULA = re.compile(
    r"[\s\x00-\x1f\x7f-\x9f\u200b-\u200f\u2060\ufeff]*[=+\-@\uff0b\uff0d\uff1d\uff20]|[\t\r\n]"
)


def write_csv(run: Run, file: Path) -> None:
    """Write a run as CSV in UTF-8: golds as a JSON list, unknown values as empty cells.

    An apostrophe stands before a text that a spreadsheet would take for a formula.
    """
    with file.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow(QuestionRow._fields)
        writer.writerows(map(_cells, run.rows()))


def write_parquet(run: Run, file: Path) -> None:
    """Write the table of a run as Parquet."""
    from mabench.data.readers.parquet import import_parquet

    import_parquet().write_table(run.table(), file)


def _cells(row: QuestionRow) -> list[str | int | float | None]:
    return [_cell(to_json(value) if isinstance(value, list) else value) for value in row]


def _cell(value: str | int | float | None) -> str | int | float | None:
    if not isinstance(value, str):
        return value
    text = without_surrogates(value)
    return f"'{text}" if _FORMULA.match(text) else text
