"""A run as flat rows, one for each question, for tables and for other tools."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, NamedTuple

from mabench.families import Family, ScoringInput, family_of
from mabench.json_text import without_surrogates
from mabench.runs.records.record import RunRecord
from mabench.runs.records.sample import Key, Sample, SampleScores
from mabench.runs.records.store import RunFolder
from mabench.runs.results.judges import judged_scores, verdicts_by_judge

if TYPE_CHECKING:
    import pyarrow

# Rows that are turned into columns at a time.
_BATCH = 1_000
# What decides where no rule of a family does.
_JUDGED, _NO_ANSWER = "judge", "no-answer"


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
        official, corrected: the scores by the reported metric, from 0 to 1, or by the judge.
        verdict: ``right``, ``wrong``, ``partial`` or ``unclear``, by the corrected score.
        rule: the rule that decided the corrected score, or ``judge``.
        hit_rank: the rank, from 1, of the first passage in which a gold stands.
        seconds: how long the answer took.
        input_tokens, output_tokens: what the answer took.
        cost: of the answer, in US dollars.
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


def question_rows(folder: RunFolder) -> Iterator[QuestionRow]:
    """Yield the questions of a run in the order in which they were stored.

    Raises:
        DataError: when a file of the run cannot be read.
    """
    record = folder.record()
    families = {name: family_of(name, record.all_sources) for name in record.questions}
    judged = _judged(folder, record, families)
    seconds = {timing.key: float(timing.seconds) for timing in folder.timings()}
    for sample in folder.samples():
        family = families[sample.source]
        official, corrected = _scores(sample, family, judged.get(sample.source))
        yield QuestionRow(
            source=sample.source,
            split=sample.split,
            row=sample.row,
            question_index=sample.question_index,
            question=sample.question,
            golds=list(sample.answers),
            prediction=sample.prediction,
            error=sample.error,
            official=official,
            corrected=corrected,
            verdict=verdict_of(sample, corrected),
            rule=rule_of(sample, family, judged=sample.source in judged),
            hit_rank=sample.hit_rank,
            seconds=seconds.get(sample.key),
            input_tokens=sample.input_tokens,
            output_tokens=sample.output_tokens,
            cost=None if sample.cost is None else float(sample.cost),
        )


def verdict_of(sample: Sample, corrected: float | None) -> str | None:
    """Return the verdict on an answer: the stored one, else what the corrected score means."""
    stored: str | None = getattr(sample, "verdict", None)
    if stored is not None or corrected is None:
        return stored
    return "right" if corrected >= 1 else "wrong" if corrected <= 0 else "partial"


def rule_of(sample: Sample, family: Family, *, judged: bool) -> str | None:
    """Return the rule that decided the corrected score; ``judge`` where a judge did.

    A sample keeps the rule only where both scores differ. Elsewhere it is looked up, and None
    where the rules of this version would give another score than the stored one.
    """
    if sample.prediction is None:
        return _NO_ANSWER
    if judged:
        return _JUDGED
    stored = sample.corrected.get(family.metric)
    if sample.difference or stored is None:
        return sample.difference
    case = ScoringInput(sample.prediction, sample.answers, sample.question)
    decided = family.corrected(case).get(family.metric)
    return decided.rule if decided and decided.value == float(stored) else None


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


def _judged(
    folder: RunFolder, record: RunRecord, families: Mapping[str, Family]
) -> dict[str, Mapping[Key, float]]:
    """Return the scores of the questions of each source that a judge is through with.

    Where every answer failed there is nothing to judge, and every score is 0.
    """
    listed: dict[str, list[SampleScores]] = defaultdict(list)
    if any(families[name].rubric for name in record.questions):
        for sample in folder.scores():
            if families[sample.source].rubric:
                listed[sample.source].append(sample)
    every = [sample for samples in listed.values() for sample in samples]
    verdicts = verdicts_by_judge(folder.judgments(), every)
    judged: dict[str, Mapping[Key, float]] = {}
    for name, samples in listed.items():
        if found := judged_scores(verdicts.get(name, {}), samples):
            judged[name] = found[1]
        elif all(sample.prediction is None for sample in samples):
            judged[name] = {sample.key: 0.0 for sample in samples}
    return judged


def _scores(
    sample: Sample, family: Family, judged: Mapping[Key, float] | None
) -> tuple[float | None, float | None]:
    """Return the official and the corrected score of a sample, from 0 to 1."""
    if judged is not None:
        return judged[sample.key], judged[sample.key]
    official, corrected = (
        None if value is None else float(value)
        for value in (sample.official.get(family.metric), sample.corrected.get(family.metric))
    )
    return official, corrected


def _schema() -> pyarrow.Schema:
    import pyarrow

    text, whole, real = pyarrow.string(), pyarrow.int64(), pyarrow.float64()
    kinds = {
        "source": text,
        "split": text,
        "row": whole,
        "question_index": whole,
        "question": text,
        "golds": pyarrow.list_(text),
        "prediction": text,
        "error": text,
        "official": real,
        "corrected": real,
        "verdict": text,
        "rule": text,
        "hit_rank": whole,
        "seconds": real,
        "input_tokens": whole,
        "output_tokens": whole,
        "cost": real,
    }
    return pyarrow.schema([(name, kinds[name]) for name in QuestionRow._fields])


def _plain(value: object) -> object:
    if isinstance(value, str):
        return without_surrogates(value)
    return [_plain(part) for part in value] if isinstance(value, list) else value
