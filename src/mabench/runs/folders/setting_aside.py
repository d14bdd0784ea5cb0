"""Setting aside: a run that starts anew moves what its folder holds to a folder within."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from mabench.progress import Progress
from mabench.results import RunFolder


def set_aside(folders: Iterable[Path], progress: Progress) -> None:
    """Set aside the runs that folders hold; refuse those that another process is writing."""
    for folder in map(RunFolder, folders):
        if folder.exists():
            with folder.own():
                progress.say(
                    f"{folder.path}: its contents were moved to {folder.set_aside().name}."
                )
