"""Writing a run in one of the formats; the file or folder is there only once it is whole."""

from __future__ import annotations

import csv
import os
import re
from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path

from mabench.data.export import write_whole
from mabench.errors import UsageError
from mabench.export.every_eval_ever import write_every_eval_ever
from mabench.json_text import to_json, without_surrogates
from mabench.results import QuestionRow, Run
from mabench.suggestions import unknown

# What spreadsheets take for the beginning of a formula, after anything that they may pass over.
_FORMULA = re.compile(
    r"[\s\x00-\x1f\x7f-\x9f\u200b-\u200f\u2060\ufeff]*[=+\-@\uff0b\uff0d\uff1d\uff20]|[\t\r\n]"
)


class Format(StrEnum):
    """What a run can be exported to."""

    INSPECT = "inspect"  # A folder with a log for each source.
    EVERY_EVAL_EVER = "every-eval-ever"  # A JSON file.
    CSV = "csv"  # A table with a line for each question, as is the next.
    PARQUET = "parquet"


def export(runs: Run | Sequence[Run], to: str, out: str | Path) -> None:
    """Write a run for another tool where nothing is, or for ``inspect`` into an empty folder.

    A table takes several runs.

    Raises:
        UsageError: when there is no such format, or it is of one run, or something is there.
        MissingPackageError: when the format takes a package that is not installed.
        DataError: when the run cannot be read or the place cannot be written.
    """
    if to not in [*Format]:
        raise UsageError(unknown("unknown format", to, Format), parameter="to")
    listed = [runs] if isinstance(runs, Run) else runs
    (run, *others), place = listed, Path(out)
    if others and to not in (Format.CSV, Format.PARQUET):
        raise UsageError(f"{to} takes one run; csv and parquet take several", parameter="to")
    is_empty = to == Format.INSPECT and place.is_dir() and not any(place.iterdir())
    if os.path.lexists(place) and not is_empty:
        raise UsageError(f"{place} exists already; choose another name", parameter="out")
    with write_whole(place) as part:
        match Format(to):
            case Format.INSPECT:
                from mabench.export.inspect_logs import write_inspect_logs

                write_inspect_logs(run, part)
            case Format.EVERY_EVAL_EVER:
                write_every_eval_ever(run, part)
            case Format.CSV:
                with part.open("w", encoding="utf-8", newline="") as stream:
                    writer = csv.writer(stream)
                    writer.writerow(QuestionRow._fields)
                    writer.writerows(map(_cell, row) for run in listed for row in run.rows())
            case Format.PARQUET:
                import pyarrow

                from mabench.data.readers import import_parquet

                table = pyarrow.concat_tables([run.table() for run in listed])
                import_parquet().write_table(table, part)


def _cell(value: str | int | float | list[str] | None) -> str | int | float | None:
    """Return a value for CSV: a list as JSON, and no text that spreadsheets take for a formula."""
    if isinstance(value, list):
        value = to_json(value)
    if not isinstance(value, str):
        return value
    text = without_surrogates(value)
    return f"'{text}" if _FORMULA.match(text) else text
