"""Measure commands as whole processes, in turn, and compare what they took pair by pair.

A command is started by a small process, so that its peak of memory is its own. Commands that are
compared run one after the other, again and again: a machine that slows down slows both.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import median
from typing import NamedTuple


class Cost(NamedTuple):
    """What a process and the processes it waited for took: seconds, and megabytes at the peak."""

    wall: float
    cpu: float
    megabytes: float


class Range(NamedTuple):
    """A median with the least and the most of what was measured."""

    median: float
    least: float
    most: float

    def __str__(self) -> str:
        return f"{self.median:.3g} ({self.least:.3g} to {self.most:.3g})"


def measure(command: Sequence[str], environment: Mapping[str, str] | None = None) -> Cost:
    """Run a command and return what it cost; raises ``SystemExit`` with its errors if it fails."""
    with (
        Path(os.devnull).open("w") as nowhere,
        subprocess.Popen(
            command,
            stdout=nowhere,
            stderr=subprocess.PIPE,
            env={**os.environ, **(environment or {})},
        ) as process,
    ):
        start = time.perf_counter()
        errors = process.stderr.read() if process.stderr else b""
        _, status, usage = os.wait4(process.pid, 0)
        wall = time.perf_counter() - start
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        lines = errors.decode("utf-8", "replace").strip()
        raise SystemExit(f"{' '.join(command)} ended with {process.returncode}:\n{lines}")
    return Cost(wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024)


def alternate(
    commands: Mapping[str, Sequence[str]],
    repeats: int,
    environment: Mapping[str, str] | None = None,
) -> dict[str, list[Cost]]:
    """Run each command once unmeasured, then all in turn ``repeats`` times."""
    costs: dict[str, list[Cost]] = {name: [] for name in commands}
    for number in range(repeats + 1):
        for name, command in commands.items():
            note(f"  {name}, {'warming up' if number == 0 else f'{number} of {repeats}'}")
            cost = measure(command, environment)
            if number:
                costs[name].append(cost)
    return costs


def summarize(values: Sequence[float]) -> Range:
    """Return the median of at least one value, with the least and the most."""
    return Range(median(values), min(values), max(values))


def ratios(ours: Sequence[float], theirs: Sequence[float]) -> Range:
    """Return how many times as much ours took as theirs did, pair by pair."""
    return summarize([a / b for a, b in zip(ours, theirs, strict=True)])


def note(text: str) -> None:
    """Say on stderr how far the comparison is."""
    print(text, file=sys.stderr, flush=True)
