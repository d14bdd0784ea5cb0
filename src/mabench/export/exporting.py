"""Exports runs to files for other tools. A failed export leaves nothing behind."""

from __future__ import annotations

import os
from collections.abc import Sequence
from enum import StrEnum
from itertools import chain
from pathlib import Path

from mabench.csv_text import write_csv
from mabench.errors import UsageError, require, unknown
from mabench.outfile import write_whole
from mabench.results import COLUMN_NAMES, Run, refuse_repeated_paths


class Format(StrEnum):
    """The formats to which runs can be exported."""

    INSPECT = "inspect"  # A folder with a log for each source.
    CSV = "csv"  # A table with a line for each question.
    PARQUET = "parquet"  # The same table.


def export(runs: Run | Sequence[Run], to: str, out: str | Path) -> None:
    """Write a run, or for a table several runs, in a format of other tools.

    ``out`` must not exist; for ``inspect`` it may be an empty folder.

    Raises:
        UsageError: the format is unknown or takes only one run, or ``out`` exists.
        MissingPackageError: the format needs a package that is not installed.
        DataError: a run cannot be read, or ``out`` cannot be written.
    """
    if to not in [*Format]:
        raise UsageError(unknown("unknown format", to, Format), parameter="to")
    listed = [runs] if isinstance(runs, Run) else runs
    refuse_repeated_paths(run.folder for run in listed)
    first, *others = listed
    place = Path(out)
    if others and to not in (Format.CSV, Format.PARQUET):
        raise UsageError(f"{to} exports one run; csv and parquet export several", parameter="to")
    may_exist = to == Format.INSPECT and place.is_dir() and not any(place.iterdir())
    if os.path.lexists(place) and not may_exist:
        raise UsageError(f"{place} exists already; choose another name", parameter="out")
    with write_whole(place, folder=to == Format.INSPECT) as part:
        match Format(to):
            case Format.INSPECT:
                require("inspect_ai", "inspect")
                from mabench.export.inspect_tasks import write_inspect_logs

                write_inspect_logs(first, part)
            case Format.CSV:
                with part.open("w", encoding="utf-8", newline="") as stream:
                    rows = (list(row.values()) for run in listed for row in run.rows())
                    write_csv(stream, chain([COLUMN_NAMES], rows))
            case Format.PARQUET:
                import pyarrow

                from mabench.data.arrow import import_parquet

                table = pyarrow.concat_tables([run.table() for run in listed])
                import_parquet().write_table(table, part)
