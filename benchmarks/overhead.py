"""What the harness adds to adding a text and to a search: with a memory that does nothing.

To an add it adds what passes from the end of one to the start of the next, as the memory sees it.
What a run takes down as the time of an add or a search is the harness's as well, since they take
none; so is the time from a question to its answer.

    python benchmarks/overhead.py [--texts N]
"""

from __future__ import annotations

import argparse
import tempfile
import time
from itertools import pairwise
from pathlib import Path
from statistics import median
from typing import NamedTuple

import mabench
from mabench.data import Dataset, Metadata, Row

_SOURCE = "ruler_qa1_197K"


class Overhead(NamedTuple):
    """Seconds, each the median."""

    between_adds: float
    add: float
    search: float
    question: float


class Idle:
    """Adds nothing and finds nothing, at once; notes when it was called."""

    def __init__(self, calls: list[float]) -> None:
        self._calls = calls

    def add(self, text: str) -> None:
        """Note the time."""
        self._calls.append(time.perf_counter())

    def search(self, query: str, k: int) -> list[str]:
        """Find nothing."""
        return []


class Telling(Idle):
    """The same, which is asked after each text what it holds."""

    def stats(self) -> dict[str, int]:
        """Tell what it holds."""
        return {"memories": 1, "bytes": 1}


class Async:
    """The same with async methods."""

    def __init__(self, calls: list[float]) -> None:
        self._calls = calls

    async def add(self, text: str) -> None:
        """Note the time."""
        self._calls.append(time.perf_counter())

    async def search(self, query: str, k: int) -> list[str]:
        """Find nothing."""
        return []


MEMORIES = (Idle, Telling, Async)


def measure(memory: type[Idle | Async], texts: int, folder: Path) -> Overhead:
    """Run a memory in a new folder over so many texts, and ask it as many questions."""
    documents = (f"Document {n}:\nThing {n} is of no use to anybody." for n in range(texts))
    row = Row(
        split="Accurate_Retrieval",
        index=0,
        context="\n\n".join(documents),
        questions=[f"Of what use is thing {n}?" for n in range(texts)],
        answers=[["none"]] * texts,
        metadata=Metadata(source=_SOURCE),
    )
    calls: list[float] = []
    data = Dataset.from_rows("texts", lambda: [row])
    protocol = mabench.InjectionSpec(chunk_tokens=15)
    run = mabench.run(lambda: memory(calls), data, protocol=protocol, out=folder)
    took = run.summary.sources[_SOURCE].memory
    if not (took and took.add and took.search and len(calls) >= texts):
        raise SystemExit("the run is not whole")
    return Overhead(
        median(later - earlier for earlier, later in pairwise(calls)),
        float(took.add.p50),
        float(took.search.p50),
        median(float(timing.seconds) for timing in run.store.timings()),
    )


def main() -> None:
    """Print the figures, a line for each kind of memory."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--texts", type=int, default=2000)
    texts = parser.parse_args().texts
    for memory in MEMORIES:
        with tempfile.TemporaryDirectory() as folder:
            added = measure(memory, texts, Path(folder) / "run")
        parts = (f"{name} {1000 * seconds:.3f} ms" for name, seconds in added._asdict().items())
        print(f"{memory.__name__}: {', '.join(parts).replace('_', ' ')}")


if __name__ == "__main__":
    main()
