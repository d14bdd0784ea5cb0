"""A disk that is full, for the processes of a memory alone."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path

from mabench.stressing.files import files_in


def fill_disk(processes: Iterable[int], folder: Path) -> None:
    """Let no file of processes grow beyond the largest one in a folder: what they write fails."""
    _limit_file_sizes(processes, max((file.stat().st_size for file in files_in(folder)), default=0))


def free_disk(processes: Iterable[int]) -> None:
    """Let files of processes grow again."""
    _limit_file_sizes(processes, None)


def _limit_file_sizes(processes: Iterable[int], size: int | None) -> None:
    """Limit the bytes of each file that processes write; None for no limit. Only on Linux."""
    if sys.platform != "linux":
        return
    import resource  # Windows has none.

    for process in processes:
        _, hard = resource.prlimit(process, resource.RLIMIT_FSIZE)
        resource.prlimit(process, resource.RLIMIT_FSIZE, (hard if size is None else size, hard))
