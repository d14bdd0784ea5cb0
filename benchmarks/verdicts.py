"""How often a careful reader agrees with both scores, on answers whose verdicts are known.

Each line of a file is a JSON object with ``source``, ``question``, ``answers``, ``prediction`` and
``verdict`` (from 0 to 1; for recommendations the share of the golds). Lines of LoCoMo have its
``category``, a number, and may have no gold: then nothing answers the question. A table by family
gives, of the answers that the corrected score decides, the share on which the reader agrees, with
its 95 % interval (Wilson, 1927), the share that it calls unclear, and the official score's
agreement on all. Without a file, those of ``data/judged`` are read.

    python benchmarks/verdicts.py [FILE...] [--entities FILE] [--list]
"""

from __future__ import annotations

import argparse
import json
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

import mabench
from mabench.data import Source
from mabench.families import Score
from mabench.scoring import Catalogue
from mabench.uncertainty import Interval
from mabench_external.locomo import CATEGORIES, NOTHING_KNOWN, SOURCE

_SHARED = Path(__file__).resolve().parents[2] / "shared"
_ANSWERS = Path(__file__).resolve().parents[1] / "data" / "judged"
_Z = 1.96


class Reading(NamedTuple):
    """A line of a file, its scores, and how the corrected one compares with the reader's."""

    line: dict[str, Any]
    score: Score
    kind: str

    @property
    def family(self) -> str:
        """The name of its family, as far as the source tells."""
        return str(self.line["source"]).split("_")[0]

    @property
    def official_agrees(self) -> bool:
        """Whether the official score is the reader's verdict."""
        return _is_equal(self.score.reported, self.line["verdict"])


def read_line(line: dict[str, Any], films: Catalogue) -> Reading:
    """Return a line with its scores."""
    source: str | Source = line["source"]
    answers, kind = line["answers"], None
    if source == SOURCE.name:
        source, kind = SOURCE, CATEGORIES[line["category"]]
        answers = [gold for gold in answers if gold] or [NOTHING_KNOWN]
    score = mabench.score_answer(
        source, line["prediction"], answers, line["question"], films, question_type=kind
    )
    if score.verdict == "unclear":
        return Reading(line, score, "unclear")
    agrees = _is_equal(score.reported_corrected, line["verdict"])
    return Reading(line, score, "agrees" if agrees else "differs")


def _is_equal(score: float | None, verdict: float) -> bool:
    return score is not None and abs(score - verdict) < 1e-6


def table(readings: Iterable[Reading]) -> str:
    """Return the Markdown table, a row for each family and one for all."""
    by_family: dict[str, list[Reading]] = defaultdict(list)
    for reading in readings:
        by_family[reading.family].append(reading)
    by_family = dict(sorted(by_family.items()))
    rows = [*by_family.items(), ("all", [r for group in by_family.values() for r in group])]
    head = "| family | answers | official agrees | unclear | corrected agrees, of the rest |"
    return "\n".join([head, "|---|---|---|---|---|", *(_row(name, group) for name, group in rows)])


def _row(name: str, readings: list[Reading]) -> str:
    count = len(readings)
    decided = [reading for reading in readings if reading.kind != "unclear"]
    hits = sum(reading.kind == "agrees" for reading in decided)
    low, high = Interval.wilson(hits / max(len(decided), 1), max(len(decided), 1), _Z)
    official = sum(reading.official_agrees for reading in readings)
    agreement = f"{hits} of {len(decided)}: {100 * hits / max(len(decided), 1):.0f} %"
    return (
        f"| {name} | {count} | {100 * official / count:.0f} % "
        f"| {100 * (count - len(decided)) / count:.0f} % "
        f"| {agreement} ({100 * low:.0f} to {100 * high:.0f}) |"
    )


def _describe(reading: Reading) -> str:
    line, score = reading.line, reading.score
    said = f"{line['verdict']:g} by the reader, {score.reported_corrected} ({score.rule})"
    question = str(line["question"])[-300:]
    parts = [repr(question), str(line["answers"]), repr(line["prediction"][:800])]
    return "\n  ".join([f"{reading.kind}: {line['source']}: {said}", *parts])


def main() -> None:
    """Print the table of each file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="*", type=Path, help="verdicts, an object a line")
    parser.add_argument("--entities", type=Path, default=_SHARED / "data" / "entity2id.json")
    parser.add_argument("--list", action="store_true", help="show where they differ")
    arguments = parser.parse_args()
    films = Catalogue(json.loads(arguments.entities.read_text(encoding="utf-8")))
    for file in arguments.files or sorted(_ANSWERS.glob("*.jsonl")):
        lines = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
        readings = [read_line(line, films) for line in lines]
        print(f"\n{file.name}\n\n{table(readings)}")
        for reading in readings if arguments.list else ():
            if reading.kind != "agrees":
                print(_describe(reading))


if __name__ == "__main__":
    main()
