"""The files of a data set at a path."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

from mabench.data.inventory import HUB, SPLITS, split_rank
from mabench.data.reading.published import find_format_of_path
from mabench.data.reading.readers import READERS
from mabench.errors import DataError, nearest, reason


def resolve_path(data: str | Path) -> Path:
    """Return the absolute path of data; a DataError for what cannot be one, such as a loop."""
    path = Path(data)
    try:
        if str(data).startswith("~"):  # A folder ./~ is no home.
            path = path.expanduser()
        with suppress(FileNotFoundError, NotADirectoryError):
            path.stat()  # It names a loop of links in the system's words.
        return path.resolve()
    except (OSError, ValueError, RuntimeError) as error:
        raise refuse_path(data, error) from error


def refuse_path(data: str | Path, error: Exception) -> DataError:
    """Return the error for what cannot be a path."""
    return DataError(f"{str(data)!r} is no path: {reason(error)}; name a file")


def find_files(path: Path) -> list[Path]:
    """Return the data files of ``path``, by split in the inventory's order, then by name.

    A folder holds ``data/<Split>-*.parquet``, or is itself the ``data`` folder, or else holds
    ``*.jsonl``; a file ends in ``.parquet``, ``.json`` or ``.jsonl``. The files of a folder of
    another benchmark are those of its format. Raises ``DataError`` when there is nothing to read,
    naming what was looked for.
    """
    if not path.exists():
        name, colon, rest = path.name.partition(":")
        near = nearest(name, ["synthetic"] if colon else [HUB])
        hint = f": did you mean {near[0]}{colon}{rest}?" if near else ""
        raise DataError(
            f"no such file or folder: {path}{hint or ';'} a data set is a path, {HUB}, or a "
            "made-up set such as synthetic:small"
        )
    if not path.is_dir():
        if path.suffix.lower() in READERS:
            return [path]
        if files := find_format_of_path(path)[1]:
            return files
        known = ", ".join(READERS)
        raise DataError(f"{path}: not a data file; known endings: {known}")
    if (path / "run.json").exists():
        rather = "give the data set of the run"
        raise DataError(f"{path} is a run folder with answers, not rows; {rather}")
    for place in (path / "data", path):
        if files := sorted(place.glob("*.parquet")):
            return sorted(files, key=lambda file: split_rank(split_of(file)))
    if files := find_format_of_path(path)[1] or sorted(path.glob("*.jsonl")):
        return files
    raise DataError(
        f"no data files in {path}: looked for data/<Split>-*.parquet and *.jsonl in it; give "
        "the folder that holds the folder 'data', or one file with its name"
    )


def split_of(file: Path) -> str | None:
    """Return what the name of a file begins with, up to its end or a "-", if that is a split."""
    name = file.stem.partition("-")[0]
    return name if name in SPLITS else None
