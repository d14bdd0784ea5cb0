"""How long the floor takes over a whole data set in processes, and what each process holds.

Prints the wall time, the CPU seconds and peak memory of every process of the run, and whether the
run without processes gave the same samples (with ``--compare``). Takes Linux, which tells of
processes in ``/proc``.

    python benchmarks/speed.py [DATA] [--compare]
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

from mabench.results import Run

_PAUSE = 0.2  # Seconds between two looks at the processes.
_PROC = Path("/proc")


class Cost(NamedTuple):
    """CPU seconds and peak memory, in megabytes, of a process so far."""

    seconds: float
    megabytes: float


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", nargs="?", default="synthetic:full")
    parser.add_argument("--compare", action="store_true")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        here = Path(folder)
        samples = _measured(arguments.data, "processes", here / "processes")
        if arguments.compare:
            same = samples == _measured(arguments.data, "local", here / "local")
            print("the same samples" if same else "OTHER SAMPLES")


def _measured(data: str, executor: str, out: Path) -> list[str]:
    """Run the floor, print what it cost, and return its samples in order."""
    words = ["-m", "mabench", "run", "floor", "--data", data, "--executor", executor]
    start = time.perf_counter()
    process = subprocess.Popen(
        [sys.executable, *words, "--out", str(out)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    costs: dict[int, Cost] = {}  # What each process had cost when it was looked at last.
    while process.poll() is None:
        for pid in _list_descendants(process.pid):
            cost = _read_cost(pid)
            if cost is not None:
                costs[pid] = cost
        time.sleep(_PAUSE)
    wall = time.perf_counter() - start
    total = sum(cost.seconds for cost in costs.values())
    print(f"{data}, {executor}: {wall:.1f} s of wall time, {total:.1f} s of CPU")
    for pid, cost in costs.items():
        print(f"  process {pid}: {cost.seconds:.1f} s, at most {cost.megabytes:.0f} MB")
    return sorted((Run(out).folder / "samples.jsonl").read_text(encoding="utf-8").splitlines())


def _list_descendants(root: int) -> set[int]:
    """Return the ids of a process and of all that descend from it."""
    parents = {}
    for entry in _PROC.iterdir():
        if entry.name.isdigit():
            fields = _read_fields(int(entry.name))
            if fields:
                parents[int(entry.name)] = int(fields[1])
    found = {root}
    children = {root}
    while children:
        children = {pid for pid, parent in parents.items() if parent in found} - found
        found |= children
    return found


def _read_cost(pid: int) -> Cost | None:
    """Return what a process has cost so far; None if it has ended."""
    fields = _read_fields(pid)
    try:
        status = (_PROC / str(pid) / "status").read_text(encoding="utf-8")
    except OSError:  # It has ended.
        return None
    peaks = [line.split()[1] for line in status.splitlines() if line.startswith("VmHWM:")]
    if not fields or not peaks:
        return None
    ticks = int(fields[11]) + int(fields[12])  # In user mode and in the kernel.
    return Cost(ticks / os.sysconf("SC_CLK_TCK"), int(peaks[0]) / 1024)


def _read_fields(pid: int) -> list[str]:
    """Return what ``/proc/PID/stat`` says behind the name; nothing when the process is gone."""
    try:
        line = (_PROC / str(pid) / "stat").read_text(encoding="utf-8")
    except OSError:
        return []
    return line.rpartition(")")[2].split()


if __name__ == "__main__":
    main()
