"""Counts the processor cores that this process may use, which may be fewer than the machine has."""

from __future__ import annotations

import math
import os
from contextlib import suppress
from pathlib import Path


def count_cores(own: Path = Path("/proc/self/cgroup"), root: Path = Path("/sys/fs/cgroup")) -> int:
    """Return how many cores this process may use, by its affinity and its containers' quotas.

    A container limits its processes by a control group of Linux (version 2), and so may the groups
    around it.

    Args:
        own: the file that names the control group of this process.
        root: the folder with all control groups.
    """
    get_affinity = getattr(os, "sched_getaffinity", None)  # Linux alone has it.
    cores = len(get_affinity(0)) if get_affinity else os.cpu_count() or 1
    group = _find_control_group(own, root)
    for folder in (group, *group.parents):
        with suppress(OSError, ValueError):  # Without a quota there is a word, or no file.
            # Microseconds of processor time that may be used in a period, and its length.
            quota, period = (folder / "cpu.max").read_text(encoding="ascii").split()
            cores = min(cores, math.ceil(int(quota) / int(period)))
    return cores


def _find_control_group(own: Path, root: Path) -> Path:
    """Return the folder of the control group of this process; ``root`` if it is not known."""
    with suppress(OSError, ValueError):
        for line in own.read_text(encoding="utf-8").splitlines():
            if line.startswith("0::"):  # The group of version 2, such as 0::/user.slice.
                return root / line.removeprefix("0::").lstrip("/")
    return root
