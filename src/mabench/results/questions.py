"""A run as flat rows, one for each question, for tables and for other tools."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple, get_args, get_type_hints

from mabench.json_text import without_surrogates
from mabench.results.records.store import RunFolder
from mabench.results.scored import scored_questions

if TYPE_CHECKING:
    import pyarrow

# Rows that are turned into columns at a time.
_BATCH = 1_000


class QuestionRow(NamedTuple):
    """One question of a run with its answer and scores; what is not known is None.

    Attributes:
        source: the source of the row.
        split, row: the place of the history.
        question_index: which of its questions, from 0.
        question: the question.
        golds: the answers that the data set accepts.
        prediction: the agent's answer; None when it failed.
        error: why there is no prediction.
        official, corrected, verdict, rule: as in ``ScoredQuestion``.
        hit_rank: the rank, from 1, of the first passage in which a gold stands.
        seconds: how long the answer took.
        input_tokens, output_tokens: what the answer took.
        cost: of the answer, in US dollars.
        question_type: the type of the question, such as its category, where there are types.
        evidence_recall: the share of the turns that the question rests on which was retrieved.
    """

    source: str
    split: str
    row: int
    question_index: int
    question: str
    golds: list[str]
    prediction: str | None
    error: str | None
    official: float | None
    corrected: float | None
    verdict: str | None
    rule: str | None
    hit_rank: int | None
    seconds: float | None
    input_tokens: int | None
    output_tokens: int | None
    cost: float | None
    question_type: str | None = None
    evidence_recall: float | None = None


def question_rows(folder: RunFolder) -> Iterator[QuestionRow]:
    """Yield the questions of a run in the order in which they were stored.

    Raises:
        DataError: when a file of the run cannot be read.
    """
    seconds = {timing.key: timing.seconds for timing in folder.timings()}
    for scored in scored_questions(folder, folder.samples()):
        sample = scored.sample
        yield QuestionRow(
            source=sample.source,
            split=sample.split,
            row=sample.row,
            question_index=sample.question_index,
            question=sample.question,
            golds=list(sample.answers),
            prediction=sample.prediction,
            error=sample.error,
            official=scored.official,
            corrected=scored.corrected,
            verdict=scored.verdict,
            rule=scored.rule,
            hit_rank=sample.hit_rank,
            seconds=_real(seconds.get(sample.key)),
            input_tokens=sample.input_tokens,
            output_tokens=sample.output_tokens,
            cost=_real(sample.cost),
            question_type=sample.question_type,
            evidence_recall=_real(sample.evidence_recall),
        )


def table_of(folder: RunFolder) -> pyarrow.Table:
    """Return the questions of a run as an Arrow table, with the columns of ``QuestionRow``.

    A mark stands for each lone surrogate, which Arrow cannot hold.

    Raises:
        DataError: when a file of the run cannot be read.
    """
    import pyarrow

    schema = _schema()
    batches, rows = [], []
    for row in question_rows(folder):
        rows.append({name: _plain(value) for name, value in row._asdict().items()})
        if len(rows) == _BATCH:
            batches.append(pyarrow.RecordBatch.from_pylist(rows, schema))
            rows = []
    batches.append(pyarrow.RecordBatch.from_pylist(rows, schema))
    return pyarrow.Table.from_batches(batches, schema)


def _real(value: float | None) -> float | None:
    return None if value is None else float(value)


def _schema() -> pyarrow.Schema:
    import pyarrow

    kinds = {
        str: pyarrow.string(),
        int: pyarrow.int64(),
        float: pyarrow.float64(),
        list[str]: pyarrow.list_(pyarrow.string()),
    }
    hints = get_type_hints(QuestionRow)
    types = {name: hint if hint in kinds else get_args(hint)[0] for name, hint in hints.items()}
    return pyarrow.schema([(name, kinds[kind]) for name, kind in types.items()])


def _plain(value: object) -> object:
    if isinstance(value, str):
        return without_surrogates(value)
    return [_plain(part) for part in value] if isinstance(value, list) else value
