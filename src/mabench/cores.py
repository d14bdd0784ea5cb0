"""Cores: how many this process may use, by its affinity and its containers' quotas."""

from __future__ import annotations

import math
import os
from contextlib import suppress
from pathlib import Path


def count_cores(own: Path = Path("/proc/self/cgroup"), root: Path = Path("/sys/fs/cgroup")) -> int:
    """Return how many cores this process may use, by its affinity and its containers' quotas.

    ``own`` names the control group of this process; ``root`` holds all of them (version 2).
    """
    affinity = getattr(os, "sched_getaffinity", None)  # Linux alone has it.
    cores = len(affinity(0)) if affinity else os.cpu_count() or 1
    group = root
    with suppress(OSError, ValueError):
        lines = own.read_text(encoding="utf-8").splitlines()
        line = next((line for line in lines if line.startswith("0::")), "")
        group /= line.removeprefix("0::").lstrip("/")
    for folder in (group, *group.parents):
        with suppress(OSError, ValueError):
            quota, period = (folder / "cpu.max").read_text(encoding="ascii").split()
            cores = min(cores, math.ceil(int(quota) / int(period)))  # No number is no quota.
    return cores
