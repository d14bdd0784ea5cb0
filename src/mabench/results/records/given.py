"""Runs that are given together; none may be given twice, whatever it is called."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from mabench.errors import UsageError


def is_same_place(one: Path, other: Path) -> bool:
    """Return whether two paths lead to one file or folder."""
    return _identity(one) == _identity(other)


def refuse_repeated_paths(paths: Iterable[Path]) -> None:
    """Raise a UsageError where a run, or a file, is given twice."""
    refuse_repeats((path, [path]) for path in paths)


def refuse_repeats(given: Iterable[tuple[Path, Sequence[Path]]]) -> None:
    """Raise a UsageError where a run is given twice, under one name or several.

    ``given`` has each path with the folders of its builds: of a run, the path itself.
    """
    holders: dict[object, Path] = {}
    for path, builds in given:
        for build in builds:
            place = _identity(build)
            if (other := holders.get(place)) is None:
                holders[place] = path
            elif str(other) == str(path):
                raise UsageError(f"{path} is named twice; name it once")
            elif is_same_place(other, path):
                raise UsageError(f"{other} and {path} are the same run; name it once")
            else:
                raise UsageError(
                    f"{other} and {path} both hold the run {build.resolve()}; name it once"
                )


def _identity(path: Path) -> object:
    """Return what two paths have in common that lead to one place."""
    try:
        found = path.stat()
    except OSError:  # It is not there, which another error will say.
        return path.absolute()
    return found.st_dev, found.st_ino
