"""Writes CSV in the one form of mabench, in which no spreadsheet takes a text for a formula.

A formula in an answer of an agent could send data elsewhere once somebody opens the file. The
script of pages (``page/assets/page.js``) writes the same form.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Sequence
from typing import TextIO

from mabench.json_text import to_json, without_surrogates

Cell = str | int | float | Sequence[str] | None

# What spreadsheets take for the beginning of a formula, after anything that they may pass over.
_FORMULA = re.compile(
    r"[\s\x00-\x1f\x7f-\x9f\u200b-\u200f\u2060\ufeff]*[=+\-@\uff0b\uff0d\uff1d\uff20]|[\t\r\n]"
)


def write_csv(stream: TextIO, rows: Iterable[Iterable[Cell]], line_end: str = "\r\n") -> None:
    """Write rows, the first with the titles: numbers as they are, a list as JSON.

    A text that a spreadsheet would take for a formula gets an apostrophe before it.
    """
    writer = csv.writer(stream, lineterminator=line_end)
    writer.writerows([_as_safe_cell(value) for value in row] for row in rows)


def _as_safe_cell(value: Cell) -> str | int | float | None:
    """Return a value as it is written: no formula, and no half of a character."""
    if value is None or isinstance(value, int | float):
        return value
    text = without_surrogates(value if isinstance(value, str) else to_json(value))
    return f"'{text}" if _FORMULA.match(text) else text
