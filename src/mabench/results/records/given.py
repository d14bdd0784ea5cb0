"""Refuses paths of runs that are given together if one run is among them twice.

A run can be given under several names: by links, or as a repeat of another run that is given.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from mabench.errors import UsageError


def is_same_place(one: Path, other: Path) -> bool:
    """Return whether two paths lead to the same file or folder."""
    return _identity(one) == _identity(other)


def refuse_repeated_paths(paths: Iterable[Path]) -> None:
    """Raise a ``UsageError`` if a run, or a file, is given twice."""
    refuse_repeats((path, [path]) for path in paths)


def refuse_repeats(given: Iterable[tuple[Path, Sequence[Path]]]) -> None:
    """Raise a ``UsageError`` if a run is given twice, under one name or several.

    ``given`` has each path with the folders of the runs that it holds: its repeats, or the path
    itself if it is a single run.
    """
    path_by_run: dict[object, Path] = {}
    for path, runs in given:
        for run in runs:
            identity = _identity(run)
            earlier = path_by_run.get(identity)
            if earlier is None:
                path_by_run[identity] = path
            elif str(earlier) == str(path):
                raise UsageError(f"{path} is named twice; name it once")
            elif is_same_place(earlier, path):
                raise UsageError(f"{earlier} and {path} are the same run; name it once")
            else:
                raise UsageError(
                    f"{earlier} and {path} both hold the run {run.resolve()}; name it once"
                )


def _identity(path: Path) -> object:
    """Return what is equal for two paths if they lead to the same place, and only then."""
    try:
        status = path.stat()
    except OSError:  # It is not there, which another error will say.
        return path.absolute()
    return status.st_dev, status.st_ino  # The disk, and the number of the file there.
