"""A run as flat rows, one for each question, for tables and for other tools."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, NamedTuple

from mabench.families import Family, family_of
from mabench.json_text import without_surrogates
from mabench.runs.records.sample import UNCLEAR_VERDICT, Key, Sample, SampleScores
from mabench.runs.records.store import RunFolder
from mabench.runs.results.judges import judged_scores, settled_scores, verdicts_by_judge

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
    record = folder.record()
    families = {name: family_of(name, record.all_sources) for name in record.questions}
    judged = _judged(folder, families)
    seconds = {timing.key: float(timing.seconds) for timing in folder.timings()}
    for sample in folder.samples():
        metric = families[sample.source].metric
        by_judge = sample.key in judged["corrected"]
        official, corrected = (
            judged[name].get(sample.key, _number(stored.get(metric)))
            for name, stored in (("official", sample.official), ("corrected", sample.corrected))
        )
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
            verdict=verdict_of(None if by_judge else sample.verdict, corrected),
            rule=_rule(sample, by_judge=by_judge),
            hit_rank=sample.hit_rank,
            seconds=seconds.get(sample.key),
            input_tokens=sample.input_tokens,
            output_tokens=sample.output_tokens,
            cost=_number(sample.cost),
            question_type=sample.question_type,
            evidence_recall=_number(sample.evidence_recall),
        )


def verdict_of(stored: str | None, corrected: float | None) -> str | None:
    """Return the verdict on an answer: the stored one, else what the corrected score means."""
    if stored is not None or corrected is None:
        return stored
    return "right" if corrected >= 1 else "wrong" if corrected <= 0 else "partial"


def _rule(sample: Sample, *, by_judge: bool) -> str | None:
    """Return what decided the corrected score; earlier versions kept it only for differences."""
    if sample.prediction is None:
        return _NO_ANSWER
    return _JUDGED if by_judge else sample.rule or sample.difference


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


def _judged(folder: RunFolder, families: Mapping[str, Family]) -> Mapping[str, Mapping[Key, float]]:
    """Return the ``official`` and ``corrected`` scores that judges gave, by question.

    Of a family that is judged these are the last judge's who is through with the source, and 0
    where every answer failed; of others those of unclear answers that were settled.
    """
    judged: dict[str, dict[Key, float]] = {"official": {}, "corrected": {}}
    listed: dict[str, list[SampleScores]] = defaultdict(list)
    for sample in folder.scores():
        listed[sample.source].append(sample)
    every = [sample for samples in listed.values() for sample in samples]
    verdicts = verdicts_by_judge(folder.judgments(), every)
    for name, samples in listed.items():
        judges = verdicts.get(name, {})
        if not families[name].needs_judge:
            unclear = {one.key for one in samples if one.verdict == UNCLEAR_VERDICT}
            settled = settled_scores(judges).items()
            judged["corrected"] |= {key: value for key, value in settled if key in unclear}
            continue
        failed = all(one.prediction is None for one in samples)
        for kind, scores in judged.items():
            if failed:
                scores.update({one.key: 0.0 for one in samples})
            elif found := judged_scores(judges, samples, kind):
                scores.update(found[1])
    return judged


def _number(value: bool | int | float | None) -> float | None:
    return None if value is None else float(value)


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
        "question_type": text,
        "evidence_recall": real,
    }
    return pyarrow.schema([(name, kinds[name]) for name in QuestionRow._fields])


def _plain(value: object) -> object:
    if isinstance(value, str):
        return without_surrogates(value)
    return [_plain(part) for part in value] if isinstance(value, list) else value
