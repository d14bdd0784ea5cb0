"""Writing a run in one of the formats; the file or folder is there only once it is whole."""

from __future__ import annotations

import os
import shutil
from enum import StrEnum
from pathlib import Path

from mabench.errors import DataError, UsageError
from mabench.export.every_eval_ever import write_every_eval_ever
from mabench.export.tables import write_csv, write_parquet
from mabench.results import Run
from mabench.suggestions import unknown


class Format(StrEnum):
    """What a run can be exported to."""

    INSPECT = "inspect"
    EVERY_EVAL_EVER = "every-eval-ever"
    CSV = "csv"
    PARQUET = "parquet"

    @classmethod
    def named(cls, name: str) -> Format:
        """Return the format of a name.

        Raises:
            UsageError: when there is none.
        """
        if name not in [*cls]:
            raise UsageError(unknown("unknown format", name, cls), parameter="to")
        return cls(name)


def export(run: Run, to: str, out: str | Path) -> None:
    """Write a run for another tool.

    Args:
        run: the run.
        to: ``inspect`` for a folder with a log for each source, ``every-eval-ever`` for a JSON
            file, ``csv`` or ``parquet`` for a table with a line for each question.
        out: where to write; nothing may be there, except an empty folder for ``inspect``.

    Raises:
        UsageError: when there is no such format, or something is there already.
        MissingPackageError: when the format takes a package that is not installed.
        DataError: when the run cannot be read or the place cannot be written.
    """
    form, place = Format.named(to), Path(out)
    is_free = not os.path.lexists(place)
    if form is Format.INSPECT and place.is_dir():
        is_free = not any(place.iterdir())
    if not is_free:
        raise UsageError(f"{place} exists already; choose another name", parameter="out")
    part = place.with_name(f".{place.name}.{os.getpid()}.part")
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        try:
            _write(run, form, part)
            part.replace(place)
        finally:
            _remove(part)
    except OSError as error:
        raise DataError(f"cannot write to {place}: {error.strerror or error}") from error


def _write(run: Run, form: Format, place: Path) -> None:
    match form:
        case Format.INSPECT:
            from mabench.export.inspect_logs import write_inspect_logs

            write_inspect_logs(run, place)
        case Format.EVERY_EVAL_EVER:
            write_every_eval_ever(run, place)
        case Format.CSV:
            write_csv(run, place)
        case Format.PARQUET:
            write_parquet(run, place)


def _remove(part: Path) -> None:
    if part.is_dir():
        shutil.rmtree(part, ignore_errors=True)
    else:
        part.unlink(missing_ok=True)
