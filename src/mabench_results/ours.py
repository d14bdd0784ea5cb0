"""Predictions in mabench's own form: an object a line that names its question."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from mabench.errors import DataError
from mabench.formats import GivenAnswer, GivenRun, Glimpse, Item, ResultFormat
from mabench_results.documents import read_lines


def _recognizes(glimpse: Glimpse) -> bool:
    first = glimpse.first_line
    return first is not None and "prediction" in first


def _read(path: Path) -> Iterator[GivenRun]:
    yield GivenRun(name="", answers=tuple(_answer(line) for line in read_lines(path)))


def _answer(line: Item) -> GivenAnswer:
    if "prediction" not in line:
        raise DataError(f"{line}: no field 'prediction'; every line needs it")
    golds = line["answers"]
    return GivenAnswer(
        place=line.file,
        text=line["prediction"].optional_text(),
        source=line["source"].optional_text(),
        row=_index(line["row"]),
        question_index=_index(line["question_index"]),
        question_id=line["qa_pair_id"].optional_text() or None,
        golds=() if golds.value is None else golds.golds(),
    )


def _index(item: Item) -> int | None:
    """Return a whole number; a text of digits is none, since it would be another file's slip."""
    if isinstance(item.value, str):
        raise item.fault("a whole number or null")
    return item.optional_whole_number()


FORMAT = ResultFormat(
    published="predictions.jsonl, an object a line with `prediction`",
    harness="mabench, or a program of your own",
    recognizes=_recognizes,
    read=_read,
    identity="`source`, `row` and `question_index`, or `qa_pair_id`",
    failed="`prediction` is null",
    verdicts="none",
)
