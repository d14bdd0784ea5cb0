"""A person's verdicts on a random sample of a run's answers, stored as those of a judge.

Which answers are drawn follows from the run and a seed alone. So judging can stop at any answer and
go on later, and a larger sample begins with the smaller one. A person never sees a score.
"""

from __future__ import annotations

import csv
import hashlib
import io
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from pathlib import Path

from mabench.errors import DataError, UsageError, reason, unknown
from mabench.outfile import write_file
from mabench.results.records.lines import BY_HAND, JudgeName, Judgment, Key, Sample
from mabench.results.records.store import RunFolder
from mabench.results.run import Run
from mabench.userfile import read_bytes

_CANNOT_TELL = "cannot tell"
_COLUMNS = ("number", "question", "golds", "said of golds", "answer", "verdict")
# What spreadsheets take for a formula at the beginning of a cell.
_FORMULA_SIGNS = ("=", "+", "-", "@", "\t", "\r")


class HandVerdict(Enum):
    """What a person can say of an answer."""

    RIGHT = "right"
    HALF = "half"
    WRONG = "wrong"
    CANNOT_TELL = _CANNOT_TELL

    @property
    def value_of_answer(self) -> float | None:
        """The score, from 0 to 1, that it gives; None if the person cannot tell."""
        return {"right": 1.0, "half": 0.5, "wrong": 0.0}.get(self.value)


@dataclass(frozen=True, slots=True)
class DrawnAnswer:
    """An answer that was drawn, with the verdict that the person gave on it before, if any."""

    number: int  # From 1, in the order in which answers are shown.
    sample: Sample
    verdict: HandVerdict | None
    folders: tuple[RunFolder, ...]  # The runs whose answer it is, where the verdict goes.
    # The judge by whose verdicts on two runs it was drawn; None if it was drawn of all answers.
    drawn_by: JudgeName | None = None


def draw_answers(folder: RunFolder, count: int, name: str, seed: int = 0) -> list[DrawnAnswer]:
    """Return the answers that a person judges, in the order in which they are shown.

    Args:
        folder: the run.
        count: how many answers; fewer if the run has fewer.
        name: who judges.
        seed: draws another sample.

    Raises:
        UsageError: when the run has no answers.
    """
    answers = [sample for sample in folder.samples() if sample.prediction is not None]
    if not answers:
        raise UsageError(f"{folder.path}: no answers to judge")
    answers.sort(key=lambda sample: rank_of(sample.key, seed))
    given = verdicts_of(folder, name, of_pairs=False)  # They would be missing from the sample.
    return [
        DrawnAnswer(number, sample, given.get((sample.key, sample.answer_hash)), (folder,))
        for number, sample in enumerate(answers[:count], start=1)
    ]


def store_verdict(drawn: DrawnAnswer, name: str, verdict: HandVerdict) -> DrawnAnswer:
    """Add a person's verdict to its run, and return the answer with it; the latest one counts."""
    sample, value = drawn.sample, verdict.value_of_answer
    judgment = Judgment(
        *sample.key,
        source=sample.source,
        model=name,
        prompts=BY_HAND,
        answer=sample.answer_hash,
        verdict=None if value is None else {"correct": int(value)},
        value=value,
        error=_CANNOT_TELL if value is None else None,
        drawn_by=drawn.drawn_by,
    )
    for folder in drawn.folders:
        folder.append_judgment(judgment)
    return replace(drawn, verdict=verdict)


def write_sheet(
    drawn: Sequence[DrawnAnswer], file: Path, of_golds: Mapping[int, str] | None = None
) -> None:
    """Write a table for a spreadsheet, whose column ``verdict`` is to be filled.

    ``of_golds`` is what people said of the golds of answers, by the numbers of these.
    """
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(_COLUMNS)
    for one in drawn:
        sample = one.sample
        said = (of_golds or {}).get(one.number, "")
        cells = (sample.question, " | ".join(sample.answers), said, sample.prediction or "")
        verdict = one.verdict.value if one.verdict else ""
        writer.writerow((one.number, *map(_as_text, cells), verdict))
    write_file(file, text.getvalue())


def read_sheet(drawn: Sequence[DrawnAnswer], file: Path) -> dict[int, HandVerdict]:
    """Return the verdicts of a filled sheet by the numbers of the answers; empty cells are none.

    Raises ``DataError`` with file, row and column of what cannot be read, and for a sheet of other
    answers.
    """
    try:
        rows = list(csv.DictReader(io.StringIO(read_bytes(file).decode("utf-8-sig"))))
    except (OSError, ValueError, csv.Error) as error:
        raise DataError(
            f"{file}: not readable: {reason(error)}; save it as CSV in UTF-8"
        ) from error
    by_number = {str(one.number): one for one in drawn}
    known = [verdict.value for verdict in HandVerdict]
    verdicts: dict[int, HandVerdict] = {}
    for line, row in enumerate(rows, start=2):
        place = f"{file}, row {line}"
        one = by_number.get((row.get("number") or "").strip())
        if one is None or row.get("question") != _as_text(one.sample.question):
            raise DataError(f"{place}: not an answer of this sample; write the sheet again")
        word = (row.get("verdict") or "").strip().lower()
        if word and word not in known:
            raise DataError(f"{place}, verdict: {unknown('no verdict', word, known)}")
        if word:
            verdicts[one.number] = HandVerdict(word)
    return verdicts


def open_for_judging(path: Path) -> RunFolder:
    """Return the folder of a run; raises ``UsageError`` or ``DataError`` if there is none."""
    folder = RunFolder(path)
    folder.record()
    return folder


def summarize_again(folder: RunFolder) -> None:
    """Write the summary of a run anew, with a person's verdicts."""
    Run.summarize(folder)


def judged_by_hand(judgments: Iterator[Judgment]) -> Iterator[Judgment]:
    """Yield the verdicts of people."""
    return (judgment for judgment in judgments if judgment.prompts == BY_HAND)


def verdicts_of(
    folder: RunFolder, name: str, *, of_pairs: bool = True
) -> Mapping[tuple[Key, str], HandVerdict]:
    """Return the latest verdict of a person on each answer.

    ``of_pairs``: also those on answers that were drawn with another run's.
    """
    verdicts: dict[tuple[Key, str], HandVerdict] = {}
    for judgment in judged_by_hand(folder.judgments()):
        if judgment.model == name and (of_pairs or judgment.drawn_by is None):
            verdicts[judgment.key, judgment.answer] = _verdict_of(judgment.value)
    return verdicts


def _verdict_of(value: float | None) -> HandVerdict:
    return next(one for one in HandVerdict if one.value_of_answer == value)


def rank_of(key: Key, seed: int) -> bytes:
    """Return what orders answers at random, but the same way each time."""
    return hashlib.sha256(f"{seed}\t{key!r}".encode()).digest()


def _as_text(cell: str) -> str:
    """Return a cell that a spreadsheet takes for text, not for a formula."""
    return f"'{cell}" if cell.startswith(_FORMULA_SIGNS) else cell
