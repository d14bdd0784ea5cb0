"""Refusing a folder that holds things but no run: it may be given as ``out`` by mistake."""

from __future__ import annotations

from pathlib import Path

from mabench.errors import DataError, UsageError, reason


def refuse_foreign(place: Path) -> None:
    """Raise ``UsageError`` for a folder of things but no run, ``DataError`` if it is unreadable."""
    # A sweep has two folders above its runs.
    if any(any(place.glob(f"{within}run.json")) for within in ("", "*/", "*/*/")):
        return
    try:
        foreign = _find_foreign(place)
    except OSError as error:
        raise DataError(f"{place}: not readable: {reason(error)}; give another `out`") from error
    if foreign:
        raise UsageError(
            f"{place} holds other things, such as {foreign[0]}, and no run; give a new or an empty "
            "folder",
            parameter="out",
        )


def _find_foreign(place: Path) -> list[str]:
    """Return the names of the things in a folder that cannot be left by a stopped run or sweep.

    A sweep that was stopped before its first run has folders in which there is nothing yet, or a
    run that does not say yet what it is.
    """
    if not place.is_dir():
        return []
    visible = sorted(child for child in place.iterdir() if not child.name.startswith("."))
    return [child.name for child in visible if child.is_symlink() or not _is_unbegun(child)]


def _is_unbegun(folder: Path, depth: int = 2) -> bool:
    """Return whether a folder holds nothing but hidden files and, ``depth`` deep, such folders.

    The lock of a run is a hidden file.
    """
    if not folder.is_dir() or folder.is_symlink():
        return False
    held = [child for child in folder.iterdir() if not child.name.startswith(".")]
    return not held or (depth > 0 and all(_is_unbegun(child, depth - 1) for child in held))
