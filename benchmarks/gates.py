"""Whether `mabench.gate` catches planted regressions, and leaves equal memories alone.

    python -m benchmarks.gates planted 0-5      # some of the faults, by number
    python -m benchmarks.gates equal 0-5        # memories that differ by chance alone
    python -m benchmarks.gates planted 0-5 FOLDER ruler_qa1_197K    # on one source alone

Each is judged beside the same memory without the fault, on the default rows and without a margin,
by what the fixture of pytest calls. Prints a row of a table for each.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Any

import mabench
from mabench_memories.retrieval import BM25Memory

FAULTS = (
    "every third text is lost",
    "every fifth text is lost",
    "only the first 12 texts are kept",
    "only the last 12 texts are kept",
    "texts are cut to 600 characters",
    "the last third of a text is lost",
    "the index misses what was added last, up to 7 texts",
    "texts collide in 16 slots",
    "digits are lost",
    "capital words of a query are lost",
    "only the first three words of a query count",
    "the best passage is skipped",
    "a third of k is returned",
    "half of k is returned",
    "the worst passages are returned",
    "the best passage is returned k times",
    "passages are cut to 300 characters",
    "one search in five finds nothing",
    "one search in ten raises",
    "one passage in three is another text",
)


class Planted:
    """bm25 with one of the faults; -1 for none, and then a seed for what is arbitrary in it."""

    def __init__(self, fault: int = -1, seed: int = 0) -> None:
        self._bm25, self._fault, self._random = BM25Memory(), fault, Random(seed)
        self._texts: list[str] = []
        self._held = 0  # How many of the texts the index has.
        self._searches = 0

    def add(self, text: str) -> None:
        """Store a text, unless the fault loses it or a part of it."""
        number, fault = len(self._texts), self._fault
        self._texts.append(text)
        lost = (fault == 0 and number % 3 == 2) or (fault == 1 and number % 5 == 4)
        if lost or (fault == 2 and number >= 12):
            return
        if fault == 4:
            text = text[:600]
        elif fault == 5:
            text = text[: 2 * len(text) // 3]
        elif fault == 8:
            text = "".join(each for each in text if not each.isdigit())
        if fault in (3, 6, 7):
            return  # The index is made when it is searched.
        self._bm25.add(text)

    def _index(self) -> None:
        """Make the index of a fault that is in which texts it has."""
        if self._held == len(self._texts):
            return
        self._held, texts = len(self._texts), self._texts
        if self._fault == 3:
            kept = texts[-12:]
        elif self._fault == 6:
            kept = texts[: len(texts) - len(texts) % 8]
        else:
            kept = [*{number % 16: text for number, text in enumerate(texts)}.values()]
        self._bm25 = BM25Memory()
        for text in kept:
            self._bm25.add(text)

    def search(self, query: str, k: int) -> Sequence[Any]:
        """Search, unless the fault is in that."""
        fault = self._fault
        self._searches += 1
        if fault in (3, 6, 7):
            self._index()
        if fault == 9:
            query = " ".join(word for word in query.split() if not word[:1].isupper()) or "what"
        elif fault == 10:
            query = " ".join(query.split()[:3])
        elif fault == 17 and self._searches % 5 == 0:
            return []
        elif fault == 18 and self._searches % 10 == 0:
            raise RuntimeError("the store is locked")
        found = [one.text for one in self._bm25.search(query, 64)]
        if fault == 11:
            found = found[1:]
        elif fault in (12, 13):
            k = -(-k // (3 if fault == 12 else 2))
        elif fault == 14:
            found = found[::-1]
        elif fault == 15:
            found = found[:1] * k
        elif fault == 16:
            found = [text[:300] for text in found]
        elif fault == 19:
            found = [
                self._random.choice(self._texts) if place % 3 == 0 else text
                for place, text in enumerate(found)
            ]
        elif fault == -1 and len(found) > k:
            # Which of two passages at the end is returned is arbitrary.
            found[k - 1] = self._random.choice(found[k - 1 : k + 1])
        return found[:k]


def main(what: str, numbers: Sequence[int], place: Path, source: str | None) -> None:
    """Judge some memories, and print a row for each."""
    held = mabench.AgentSpec(agent=Planted, settings={"seed": 1000})
    for number in numbers:
        if what == "planted":
            settings, name = {"fault": number}, FAULTS[number]
        else:
            settings, name = {"seed": number}, f"another seed, {number}"
        began, cpu = time.monotonic(), time.process_time()
        result = mabench.gate(
            mabench.AgentSpec(agent=Planted, settings=settings),
            held,
            "synthetic:compare" if source else None,
            source=source,
            folder=place / "baselines",
            out=place / f"{what}-{number}",
        )
        seconds, used = time.monotonic() - began, time.process_time() - cpu
        assert result.interval
        low, high = result.interval.low, result.interval.high
        verdict = "passes" if result.passed else "fails"
        print(
            f"| {name} | {result.difference:+.1f} ({low:+.1f} to {high:+.1f}) | {verdict} "
            f"| {seconds:.0f} | {used:.0f} |",
            flush=True,
        )


if __name__ == "__main__":
    first, _, last = sys.argv[2].partition("-")
    chosen = range(int(first), int(last or first) + 1)
    # By its name, so that the code of the memory is known.
    from benchmarks.gates import main as run

    given = [*sys.argv[3:], *("gates", "")[len(sys.argv) - 3 :]]
    run(sys.argv[1], chosen, Path(given[0]), given[1] or None)
