"""How often a careful reader agrees with both scores, on answers whose verdicts are known.

Each line of a file is a JSON object with ``question``, ``answers``, ``prediction`` and ``verdict``:
a number from 0 to 1 (for recommendations the share of the golds), or ``right``, ``wrong``,
``half`` (which may be partial or right) or ``split`` (of which readers differ, and which does not
count). ``source`` names its source; lines of LoCoMo have its ``category``, a number, may have no
source, and may have no gold: then nothing answers the question. Sets by language have ``gold``,
``answer`` and ``language`` in their place. A table by family gives, of the answers that the
corrected score decides, the share on which the reader agrees, with its 95 % interval (Wilson,
1927), the share that it calls unclear, and the official score's agreement on all. Without a file,
those of ``data/judged`` are read. Where the films of ``--entities`` are absent, recommendations are
not looked at, and a line says how many.

    python -m benchmarks.verdicts [FILE...] [--entities FILE] [--list]
    python -m benchmarks.verdicts --why FILE:LINE

``--why`` prints how one answer is read: its signs by name, every decision that found something,
which one decided, and what came next in the order.
"""

from __future__ import annotations

import argparse
import json
from collections import defaultdict
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import mabench
from mabench.data import Source
from mabench.families import Score
from mabench.scoring import Catalogue, correct_answer
from mabench.scoring.corrected.answer import Reading as AnswerReading
from mabench.scoring.corrected.answer import read_answer, wordings
from mabench.scoring.corrected.rule import final_text
from mabench.scoring.language import speaks_english
from mabench.scoring.stated.decisions import DECISIONS
from mabench.uncertainty import Interval
from mabench_external.locomo import CATEGORIES, NOTHING_KNOWN, SOURCE

_SHARED = Path(__file__).resolve().parents[2] / "shared"
PARITY = _SHARED / "parity"
ENTITIES = _SHARED / "data" / "entity2id.json"
ANSWERS = Path(__file__).resolve().parents[1] / "data" / "judged"
_Z = 1.96
_LANGUAGE = "language"  # The family of answers that are judged by their language.


class Reading(NamedTuple):
    """A line of a file, its scores, and how the corrected one compares with the reader's.

    ``kind`` is ``agrees``, ``differs``, ``unclear``, or ``split`` where readers differ.
    """

    line: dict[str, Any]
    score: Score
    kind: str

    @property
    def family(self) -> str:
        """The name of its family, as far as the source tells; or its language."""
        if "language" in self.line:
            return str(self.line["language"])
        return str(self.line.get("source", SOURCE.name)).split("_")[0]

    @property
    def official_agrees(self) -> bool:
        """Whether the official score is the reader's verdict."""
        return _agrees(self.line["verdict"], self.score.reported)


def read_line(line: dict[str, Any], films: Catalogue | None) -> Reading:
    """Return a line with its scores."""
    score = _score(line, films)
    if line["verdict"] == "split":
        return Reading(line, score, "split")
    if score.verdict in (None, "unclear"):  # A source whose score takes a judge has no verdict.
        return Reading(line, score, "unclear")
    agrees = _agrees(line["verdict"], score.reported_corrected)
    return Reading(line, score, "agrees" if agrees else "differs")


def _score(line: dict[str, Any], films: Catalogue | None) -> Score:
    if "language" in line:
        found = correct_answer(line["answer"], line["gold"], line["question"])
        corrected = {} if found.value is None else {_LANGUAGE: found.value}
        return Score(_LANGUAGE, {}, corrected, {_LANGUAGE: found.rule}, found.verdict)
    source: str | Source = line.get("source", SOURCE.name)
    answers, kind = line["answers"], None
    if source == SOURCE.name:
        source, kind = SOURCE, CATEGORIES[line["category"]]
        answers = [gold for gold in answers if gold] or [NOTHING_KNOWN]
    return mabench.score_answer(
        source, line["prediction"], answers, line["question"], films, question_type=kind
    )


def _agrees(verdict: float | str, score: float | None) -> bool:
    """Return whether a score is what a reader said; a half may be any share, or all."""
    if score is None:
        return False
    if verdict == "half":
        return score > 0
    wanted = {"right": 1.0, "wrong": 0.0, "unclear": -1.0}.get(str(verdict), verdict)
    return abs(score - float(wanted)) < 1e-6


def table(readings: Iterable[Reading]) -> str:
    """Return the Markdown table, a row for each family and one for all."""
    by_family: dict[str, list[Reading]] = defaultdict(list)
    for reading in readings:
        if reading.kind != "split":
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
        f"| {name} | {count} | {100 * official / max(count, 1):.0f} % "
        f"| {100 * (count - len(decided)) / max(count, 1):.0f} % "
        f"| {agreement} ({100 * low:.0f} to {100 * high:.0f}) |"
    )


def _describe(reading: Reading) -> str:
    line, score = reading.line, reading.score
    said = f"{line['verdict']} by the reader, {score.verdict} ({score.rule})"
    question = str(line["question"])[-300:]
    prediction = str(line.get("prediction", line.get("answer", "")))
    parts = [repr(question), str(line.get("answers", line.get("gold"))), repr(prediction[:800])]
    return "\n  ".join([f"{reading.kind}: {reading.family}: {said}", *parts])


def explain(line: dict[str, Any]) -> str:
    """Return how an answer is read, step by step: signs, decisions, and what came next."""
    prediction = str(line.get("prediction", line.get("answer", "")))
    golds, question = list(line.get("answers", line.get("gold", ()))), line["question"]
    text = final_text(prediction)
    said = [f"question: {str(question)[-300:]}", f"golds: {golds}", f"final answer: {text!r}"]
    if not speaks_english(text, question, tuple(golds)):
        return "\n".join([*said, "It is not read as English: identity alone decides."])
    for reading in read_answer(prediction, text, wordings(golds), question):
        said += ["", *_steps(reading)]
    return "\n".join(said)


def _steps(reading: AnswerReading) -> Iterator[str]:
    result = reading.result
    yield f"{result.verdict}, by the rule {result.rule}"
    if reading.kind is not None:
        yield f"kind of gold: {reading.kind.value}"
    if reading.line is None:
        yield "No signs were needed."
        return
    yield "signs: " + " ".join(
        f"{item.sign.name}({item.said})" if item.said else item.sign.name
        for item in reading.line.items
    )
    steps = reading.choice.steps if reading.choice else ()
    for step in steps:
        left = " ".join(item.sign.name for item in step.line.items)
        yield f'"{step.decision.name}" {step.decision.effect.value}: {left}'
    names = [decision.name for decision in DECISIONS]
    if steps:
        behind = names[names.index(steps[-1].decision.name) + 1 :][:3]
        yield f"next in order: {', '.join(behind) or 'nothing'}"
    if reading.choice:
        yield f"chosen: {reading.choice.outcome.value}"


def films_for(line: dict[str, Any], entities: Path) -> Catalogue | None:
    """Return the titles that a recommendation is matched against; None for other answers."""
    return _films(entities) if _is_recommendation(line) else None


@cache
def _films(entities: Path) -> Catalogue:
    return Catalogue(json.loads(entities.read_text(encoding="utf-8")))


def read_file(file: Path, entities: Path) -> list[Reading]:
    """Return the lines of a file with their scores; without films, no recommendations."""
    lines = _lines(file)
    if not entities.is_file():
        lines = [line for line in lines if not _is_recommendation(line)]
    return [read_line(line, films_for(line, entities)) for line in lines]


def _is_recommendation(line: dict[str, Any]) -> bool:
    return str(line.get("source", "")).startswith("recsys")


def _lines(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


def _line_named(place: str) -> dict[str, Any]:
    """Return the line that FILE:LINE names; end with one line of error if it names none."""
    name, _, number = place.rpartition(":")
    if not name or not number.isdecimal():
        raise SystemExit(f"{place}: no FILE:LINE; write for example judged.jsonl:12")
    try:
        lines = _lines(Path(name))
    except (OSError, ValueError) as error:
        raise SystemExit(f"{name}: cannot be read as JSON Lines: {error}") from None
    if not 1 <= int(number) <= len(lines):
        raise SystemExit(f"{name}: no line {number}; it has lines 1 to {len(lines)}")
    return lines[int(number) - 1]


def main() -> None:
    """Print the table of each file, or how one answer is read."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="*", type=Path, help="verdicts, an object a line")
    parser.add_argument("--entities", type=Path, default=ENTITIES)
    parser.add_argument("--list", action="store_true", help="show where they differ")
    parser.add_argument("--why", metavar="FILE:LINE", help="show how one answer is read")
    arguments = parser.parse_args()
    if arguments.why:
        print(explain(_line_named(arguments.why)))
        return
    for file in arguments.files or sorted(ANSWERS.glob("*.jsonl")):
        readings = read_file(file, arguments.entities)
        print(f"\n{file.name}\n\n{table(readings)}")
        skipped = len(_lines(file)) - len(readings)
        if skipped:
            print(f"\n{skipped} recommendations not looked at: there is no {arguments.entities}")
        for reading in readings if arguments.list else ():
            if reading.kind != "agrees":
                print(_describe(reading))


if __name__ == "__main__":
    main()
