"""Whether it matters that a memory takes dates by itself, under the protocol ``turns``.

The same memory is run in three ways: it is passed the time of each turn; the time stands in the
text, in the same words as a reader sees it in the first way; or it stands there in the words of the
data. The first two differ in where the date is, the last two in how it is written.

    python benchmarks/dates.py [--memory NAME] [--embeddings MODEL] [LOCOMO_FILE]

LOCOMO_FILE is a ``locomo10.json``, or part of one; ``../shared/data/external/locomo-dev.json`` when
none is named. NAME is a memory that takes times and asks no language model: ``bm25``, ``dense`` or
an outside system that is installed. Prints a Markdown table: what each way scores, and the
differences with their 95 % intervals for new histories where there are at least five, else for
other questions.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any

import mabench
from mabench.data import Dataset
from mabench.loading import row_generator
from mabench.lookup.names import factory_named
from mabench.results import Run
from mabench.text.times import write_time
from mabench.uncertainty import Grouped, compare_paired

_LOCOMO = Path("../shared/data/external/locomo-dev.json")
_DOOR = "my_door"
_WORDS = ("K417", "M902", "T555", "R318", "W264", "B739")


Ways = Mapping[str, Callable[[], object]]


def ways(make: Callable[[], Any]) -> Ways:
    """Return what makes a memory that is told of times in each of three ways."""

    class InText:
        """The memory, without a parameter for times, so that they stand in the text."""

        def __init__(self) -> None:
            self._memory = make()

        def add(self, text: str) -> None:
            self._memory.add(text)

        def search(self, query: str, k: int) -> Any:
            return self._memory.search(query, k)

        def close(self) -> None:
            if hasattr(self._memory, "close"):
                self._memory.close()

    class InWords(InText):
        """The same, but the times are in our words."""

        def add(self, text: str, *, time: datetime | None = None) -> None:
            super().add(f"[{write_time(time)}] {text}" if time else text)

    return {"passed": make, "in the text, our words": InWords, "in the text, as given": InText}


def doors(rows: int = 8) -> Dataset:
    """Return rows in which the code of a door changes, asked for on each day."""
    made = []
    for row in range(rows):
        context, turns, pairs, dates = "", [], [], []
        for number, word in enumerate(_WORDS):
            day = datetime(2024, 1, 1 + row) + timedelta(days=9 * number)
            said = f"The code of the door is {word}{row}."
            place = {"start": len(context), "end": len(context) + len(said)}
            turns.append({"id": f"t{number}", "session": f"s{number}", "time": f"{day}Z", **place})
            context += f"{said}\n"
            pairs.append(("What is the code of the door?", [f"{word}{row}"]))
            dates.append(f"{day + timedelta(days=1)}Z")
        metadata = {"source": _DOOR, "question_dates": dates}
        questions, answers = zip(*pairs, strict=True)
        evidence = [[turn["id"]] for turn in turns]
        made.append(
            {"context": context, "turns": turns, "questions": [*questions], "metadata": metadata}
            | {"answers": [*answers], "evidence": evidence}
        )
    return mabench.load(made, sources={_DOOR: {"family": "answer"}})


def chats() -> Dataset:
    """Return made-up chats, whose questions are asked in the weeks after the last one."""
    settings = {"seed": 11, "tokens": 20_000, "rows": 8, "questions": 24}
    return row_generator().generate(["longmemeval"], knobs={}, difficulty="real", **settings)


def scores(run: Run, kind: str, only: str | None) -> dict[tuple[Any, ...], float]:
    """Return evidence recall, or the official score, of each question that has one."""
    found = {}
    for one in run.questions():
        value = one.sample.evidence_recall if kind == "evidence" else one.official
        if value is not None and only in (None, one.sample.question_type):
            found[one.sample.key] = float(value)
    return found


def lines(
    own: Ways, title: str, data: object, depth: int, kinds: Sequence[tuple[str, str | None]]
) -> Iterator[str]:
    """Yield the lines of the table for some rows."""
    with tempfile.TemporaryDirectory() as folder:
        runs = [
            mabench.run(way, data, protocol="turns", settings={"k": depth}, out=Path(folder, name))
            for name, way in own.items()
        ]
        for kind, only in kinds:
            passed, words, given = (scores(run, kind, only) for run in runs)
            means = (100 * sum(one.values()) / len(one) for one in (passed, words, given))
            cells = [f"{mean:.1f}" for mean in means]
            for a, b in ((passed, words), (words, given)):
                values = [a[key] - b[key] for key in a]
                found = compare_paired(Grouped.of(values, [key[:2] for key in a]))
                low, high = (found.new or found.these or (0.0, 0.0))[:2]
                mark = "" if found.new else "†"
                apart = 100 * found.difference, 100 * low, 100 * high
                cells.append(f"{apart[0]:+.1f} ({apart[1]:+.1f} to {apart[2]:+.1f}{mark})")
            what = f"{kind}{f', {only}' if only else ''}, k = {depth}"
            yield f"| {title} | {what} | {len(passed)} | {' | '.join(cells)} |"


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("locomo", nargs="?", type=Path, default=_LOCOMO)
    parser.add_argument("--memory", default="bm25")
    parser.add_argument("--embeddings")
    given = parser.parse_args()
    settings = {"embeddings": given.embeddings} if given.embeddings else {}
    own = ways(partial(factory_named(given.memory), **settings))
    both = [("evidence", None), ("evidence", "temporal"), ("official", None)]
    print(
        f"| {given.memory} | score | n | {' | '.join(own)} | passed or in the text | whose words |"
    )
    print(f"|---|---|{'---:|' * 6}")
    tables: Iterable[Any] = (
        ("LoCoMo", str(given.locomo), 10, [*both, ("official", "temporal")]),
        ("made-up chats", chats(), 10, [("evidence", None)]),
        *(("doors", doors(), depth, [("evidence", None), ("official", None)]) for depth in (1, 10)),
    )
    for table in tables:
        for line in lines(own, *table):
            print(line, flush=True)


if __name__ == "__main__":
    main()
