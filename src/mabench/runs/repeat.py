"""The same run several times over, for the spread of an agent that does not repeat itself."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from mabench.errors import UsageError
from mabench.runs.run import Run


def repeated(once: Callable[[Path | None], Run], times: int, out: Path | None) -> list[Run]:
    """Run ``times`` times, each in a folder of its own under ``out``; those that are done stay.

    A single run has ``out`` itself, which may be None.

    Raises:
        UsageError: when there are several runs and no ``out``.
    """
    if times == 1:
        return [once(out)]
    if out is None:
        raise UsageError("--repeat takes --out, the folder that holds a folder for each run")
    return [once(out / f"repeat-{number}") for number in range(1, times + 1)]
