"""A run as logs of Inspect, one for each source, written by inspect_ai itself."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from mabench.errors import require
from mabench.export.names import history_id, plain_name, question_id
from mabench.json_text import Json, without_surrogates
from mabench.results import Intervals, QuestionRow, Run, SourceSummary
from mabench.results.records.record import RunRecord, timestamp

if TYPE_CHECKING:
    from inspect_ai.log import EvalLog, EvalMetric, EvalResults, EvalSample, EvalScore

_EXTRA = "inspect"


def write_inspect_logs(run: Run, folder: Path) -> None:
    """Write a log for each source of a run into a new folder.

    Raises:
        MissingPackageError: when inspect_ai is not installed.
        DataError: when the run cannot be read.
        OSError: when a log cannot be written.
    """
    require("inspect_ai", _EXTRA)
    from inspect_ai.log import write_eval_log

    rows: dict[str, list[QuestionRow]] = defaultdict(list)
    for row in run.rows():
        rows[row.source].append(row)
    folder.mkdir()
    taken: set[str] = set()
    for name, source in run.summary.sources.items():
        file = plain_name(name)
        while file in taken:
            file += "_"
        taken.add(file)
        write_eval_log(_log(run.record, name, source, rows[name]), str(folder / f"{file}.eval"))


def _log(
    record: RunRecord, name: str, source: SourceSummary, rows: Sequence[QuestionRow]
) -> EvalLog:
    from inspect_ai import log

    date = record.date or timestamp()
    model = _model(record)
    samples = [_sample(row, model) for row in rows]
    return log.EvalLog(
        status="success" if source.n == source.expected else "cancelled",
        eval=log.EvalSpec(
            created=date,
            task=f"mabench/{plain_name(name)}",
            task_id=plain_name(f"{name}-{record.data.fingerprint[:12]}-{record.agent}"),
            task_args={"agent": record.agent, "protocol": record.protocol},
            dataset=log.EvalDataset(
                name=without_surrogates(record.data.name),
                samples=len(samples),
                sample_ids=[sample.id for sample in samples],
            ),
            model=model,
            config=log.EvalConfig(),
            packages={**record.packages, "mabench": record.mabench},
            metadata=_about(record, name),
        ),
        plan=log.EvalPlan(steps=[log.EvalPlanStep(solver=without_surrogates(record.agent))]),
        stats=log.EvalStats(started_at=date, completed_at=date),
        results=_results(source, samples),
        samples=samples,
    )


def _model(record: RunRecord) -> str:
    """Return the model that reads, else the agent, which takes the place of one."""
    return without_surrogates(record.model.name if record.model else f"mabench/{record.agent}")


def _about(record: RunRecord, name: str) -> dict[str, Json]:
    return {
        "source": name,
        "agent": without_surrogates(record.agent),
        "fingerprint": record.data.fingerprint,
        "protocol": record.protocol,
        "chunk_tokens": record.chunk_tokens,
        "prompts": record.prompts,
    }


def _sample(row: QuestionRow, model: str) -> EvalSample:
    from inspect_ai import log
    from inspect_ai.model import ChatMessageUser, ModelOutput, ModelUsage

    question = without_surrogates(row.question)
    answer = None if row.prediction is None else without_surrogates(row.prediction)
    output = ModelOutput(model=model) if answer is None else ModelOutput.from_content(model, answer)
    usage = {}
    if row.input_tokens is not None or row.output_tokens is not None:
        asked, told = row.input_tokens or 0, row.output_tokens or 0
        output.usage = ModelUsage(input_tokens=asked, output_tokens=told, total_tokens=asked + told)
        usage = {model: output.usage}
    error = None
    if row.error is not None:
        message = without_surrogates(row.error)
        error = log.EvalError(message=message, traceback=message, traceback_ansi=message)
    return log.EvalSample(
        id=question_id(row.split, row.row, row.question_index),
        epoch=1,
        input=question,
        target=[without_surrogates(gold) for gold in row.golds],
        messages=[ChatMessageUser(content=question), *(one.message for one in output.choices)],
        output=output,
        scores=_scores(row, answer),
        metadata=_metadata(row),
        model_usage=usage,
        total_time=row.seconds,
        error=error,
    )


def _metadata(row: QuestionRow) -> dict[str, Json]:
    return {
        "source": row.source,
        "history": history_id(row.split, row.row),
        "question_index": row.question_index,
        "gold_rank": row.hit_rank,
        "rule": row.rule,
        "verdict": row.verdict,
        "question_type": row.question_type,
        "evidence_recall": row.evidence_recall,
        "cost": row.cost,
    }


def _scores(row: QuestionRow, answer: str | None) -> Mapping[str, object]:
    from inspect_ai.scorer import Score

    official = {"official": row.official} if row.official is not None else {}
    corrected = {"corrected": row.corrected} if row.corrected is not None else {}
    why = {"official": None, "corrected": row.rule}
    return {
        name: Score(value=value, answer=answer, explanation=why[name])
        for name, value in {**official, **corrected}.items()
    }


def _results(source: SourceSummary, samples: Sequence[EvalSample]) -> EvalResults:
    from inspect_ai import log

    scores = [
        _score(name, value, intervals, len(samples))
        for name, value, intervals in (
            ("official", source.official, source.interval),
            ("corrected", source.corrected, source.interval_corrected),
        )
        if value is not None
    ]
    completed = sum(sample.error is None for sample in samples)
    return log.EvalResults(
        total_samples=source.expected, completed_samples=completed, scores=scores
    )


def _score(name: str, value: float, intervals: Intervals | None, samples: int) -> EvalScore:
    from inspect_ai import log

    return log.EvalScore(
        name=name,
        scorer=f"mabench/{name}",
        scored_samples=samples,
        metrics={metric.name: metric for metric in _metrics(value, intervals)},
    )


def _metrics(value: float, intervals: Intervals | None) -> list[EvalMetric]:
    """Return the mean, and the limits of the interval that a report shows beside it."""
    from inspect_ai import log

    metrics = [log.EvalMetric(name="mean", value=value / 100)]
    limits = intervals and (intervals.new_histories or intervals.these_histories)
    if intervals and limits:
        whose = "new histories" if intervals.new_histories else "these histories"
        metrics += [
            log.EvalMetric(name=name, value=limit / 100, metadata={"interval": f"95 %, {whose}"})
            for name, limit in zip(("interval_low", "interval_high"), limits, strict=True)
        ]
    return metrics
