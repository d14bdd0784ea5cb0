"""A person's verdicts on a random sample of a run's answers, stored as those of a judge.

Which answers are drawn follows from the run and a seed alone. So judging can stop at any answer and
go on later, and a larger sample begins with the smaller one. A person never sees a score. They may
also fill a sheet: a CSV table of the answers with a column for the verdicts.
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
# Of a sheet.
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
        """The score, from 0 to 1, that it gives the answer; None if the person cannot tell."""
        return _SCORES[self]


_SCORES = {
    HandVerdict.RIGHT: 1.0,
    HandVerdict.HALF: 0.5,
    HandVerdict.WRONG: 0.0,
    HandVerdict.CANNOT_TELL: None,
}


@dataclass(frozen=True, slots=True)
class DrawnAnswer:
    """An answer that was drawn to be judged by a person."""

    number: int  # From 1, in the order in which answers are shown.
    sample: Sample
    verdict: HandVerdict | None  # That the person gave on it before; None without one.
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
    # A verdict on an answer that was drawn with another run's is no verdict of this sample.
    verdicts = verdicts_of(folder, name, of_pairs=False)
    return [
        DrawnAnswer(
            number,
            sample,
            verdict=verdicts.get((sample.key, sample.answer_hash)),
            folders=(folder,),
        )
        for number, sample in enumerate(answers[:count], start=1)
    ]


def store_verdict(drawn: DrawnAnswer, name: str, verdict: HandVerdict) -> DrawnAnswer:
    """Add a person's verdict on an answer to its runs, and return the answer with the verdict.

    If the person gives several, the latest one counts.
    """
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
    """Write a sheet for a spreadsheet, whose column ``verdict`` is to be filled.

    ``of_golds`` is what people said of the golds of answers, by the numbers of these.
    """
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(_COLUMNS)
    for answer in drawn:
        sample = answer.sample
        said_of_golds = "" if of_golds is None else of_golds.get(answer.number, "")
        golds = " | ".join(sample.answers)
        cells = (sample.question, golds, said_of_golds, sample.prediction or "")
        verdict = "" if answer.verdict is None else answer.verdict.value
        writer.writerow((answer.number, *(_as_text(cell) for cell in cells), verdict))
    write_file(file, text.getvalue())


def read_sheet(drawn: Sequence[DrawnAnswer], file: Path) -> dict[int, HandVerdict]:
    """Return the verdicts of a filled sheet by the numbers of the answers.

    An empty cell gives no verdict. Raises ``DataError`` with file, row and column of what cannot be
    read, and for a sheet of other answers.
    """
    try:
        rows = list(csv.DictReader(io.StringIO(read_bytes(file).decode("utf-8-sig"))))
    except (OSError, ValueError, csv.Error) as error:
        raise DataError(
            f"{file}: not readable: {reason(error)}; save it as CSV in UTF-8"
        ) from error
    answer_by_number = {str(answer.number): answer for answer in drawn}
    known_words = [verdict.value for verdict in HandVerdict]
    verdicts: dict[int, HandVerdict] = {}
    for row_number, row in enumerate(rows, start=2):  # The first row names the columns.
        place = f"{file}, row {row_number}"
        answer = answer_by_number.get((row.get("number") or "").strip())
        if answer is None or row.get("question") != _as_text(answer.sample.question):
            raise DataError(f"{place}: not an answer of this sample; write the sheet again")
        word = (row.get("verdict") or "").strip().lower()
        if not word:
            continue
        if word not in known_words:
            raise DataError(f"{place}, verdict: {unknown('no verdict', word, known_words)}")
        verdicts[answer.number] = HandVerdict(word)
    return verdicts


def open_for_judging(path: Path) -> RunFolder:
    """Return the folder of a run.

    Raises ``UsageError`` if there is no run, and ``DataError`` if it cannot be read.
    """
    folder = RunFolder(path)
    folder.record()  # Raises these.
    return folder


def summarize_again(folder: RunFolder) -> None:
    """Write the summary of a run anew, with a person's verdicts."""
    Run.summarize(folder)


def judged_by_hand(judgments: Iterator[Judgment]) -> Iterator[Judgment]:
    """Yield the judgments that people made."""
    return (judgment for judgment in judgments if judgment.prompts == BY_HAND)


def verdicts_of(
    folder: RunFolder, name: str, *, of_pairs: bool = True
) -> Mapping[tuple[Key, str], HandVerdict]:
    """Return the latest verdict of a person on each answer, by question and hash of the answer.

    ``of_pairs`` is whether verdicts count on answers that were drawn with those of another run.
    """
    verdicts: dict[tuple[Key, str], HandVerdict] = {}
    for judgment in judged_by_hand(folder.judgments()):
        is_own = judgment.model == name  # A judgment by hand names the person as its model.
        if is_own and (of_pairs or judgment.drawn_by is None):
            verdicts[judgment.key, judgment.answer] = _verdict_of(judgment.value)
    return verdicts


def _verdict_of(score: float | None) -> HandVerdict:
    """Return the verdict that gives an answer a score; None is that the person cannot tell."""
    for verdict in HandVerdict:
        if verdict.value_of_answer == score:
            return verdict
    raise ValueError(f"no verdict gives the score {score}")


def rank_of(key: Key, seed: int) -> bytes:
    """Return a hash by which questions are put in a random order, the same for each seed."""
    return hashlib.sha256(f"{seed}\t{key!r}".encode()).digest()


def _as_text(cell: str) -> str:
    """Return a cell that a spreadsheet takes for text, not for a formula."""
    return f"'{cell}" if cell.startswith(_FORMULA_SIGNS) else cell
