"""A run as logs of Inspect, one for each source, written by inspect_ai itself."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from mabench.errors import require
from mabench.json_text import without_surrogates
from mabench.results import QuestionRow, Run, RunRecord, SourceSummary

if TYPE_CHECKING:
    from inspect_ai.log import EvalLog, EvalResults, EvalSample
    from inspect_ai.model import ModelOutput


def plain_name(text: str) -> str:
    """Return a text with an underscore for all but letters, digits, dots and hyphens."""
    return re.sub(r"[^\w.-]+", "_", text, flags=re.ASCII).strip("_.") or "unnamed"


def history_id(split: str, row: int) -> str:
    """Return what names a history within its data set, without ``/``."""
    return f"{plain_name(split)}-{row}"


def model_output(
    model: str, answer: str | None, input_tokens: int | None, output_tokens: int | None
) -> ModelOutput:
    """Return an answer as the output of a model, with its tokens where they are known."""
    from inspect_ai.model import ModelOutput, ModelUsage

    output = ModelOutput(model=model)
    if answer is not None:
        output = ModelOutput.from_content(model, without_surrogates(answer))
    if input_tokens is not None or output_tokens is not None:
        read, written = input_tokens or 0, output_tokens or 0
        output.usage = ModelUsage(
            input_tokens=read, output_tokens=written, total_tokens=read + written
        )
    return output


def write_inspect_logs(run: Run, folder: Path) -> None:
    """Write a log for each source of a run into a new folder.

    Raises:
        MissingPackageError: when inspect_ai is not installed.
        DataError: when the run cannot be read.
        OSError: when a log cannot be written.
    """
    require("inspect_ai", "inspect")
    from inspect_ai.log import write_eval_log

    rows: dict[str, list[QuestionRow]] = defaultdict(list)
    for row in run.rows():
        rows[row.source].append(row)
    folder.mkdir()
    for source, summary in run.summary.sources.items():
        file = folder / f"{plain_name(source)}.eval"
        while file.exists():
            file = file.with_stem(f"{file.stem}_")
        write_eval_log(_log(run.record, source, summary, rows[source]), str(file))


def _log(
    record: RunRecord, name: str, source: SourceSummary, rows: Sequence[QuestionRow]
) -> EvalLog:
    from inspect_ai import log

    date = record.date or datetime.now(UTC).isoformat(timespec="seconds")
    agent = without_surrogates(record.agent)
    # Without a model that reads, the agent takes the place of one.
    model = without_surrogates(record.model.name if record.model else f"mabench/{record.agent}")
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
            metadata={
                "source": name,
                "agent": agent,
                "fingerprint": record.data.fingerprint,
                "protocol": record.protocol,
                "chunk_tokens": record.chunk_tokens,
                "prompts": record.prompts,
                "takes": record.takes and record.takes.as_dict(),
                "memory": source.memory and source.memory.as_dict(),
            },
        ),
        plan=log.EvalPlan(steps=[log.EvalPlanStep(solver=agent)]),
        stats=log.EvalStats(started_at=date, completed_at=date),
        results=_results(source, samples),
        samples=samples,
    )


def _sample(row: QuestionRow, model: str) -> EvalSample:
    from inspect_ai import log
    from inspect_ai.model import ChatMessageUser
    from inspect_ai.scorer import Score

    question = without_surrogates(row.question)
    answer = None if row.prediction is None else without_surrogates(row.prediction)
    output = model_output(model, row.prediction, row.input_tokens, row.output_tokens)
    message = without_surrogates(row.error or "")
    error = log.EvalError(message=message, traceback=message, traceback_ansi=message)
    scores = (("official", row.official, None), ("corrected", row.corrected, row.rule))
    history = history_id(row.split, row.row)
    same = ("rule", "verdict", "part", "question_type", "hit_by", "evidence_recall", "asked_after")
    took = ("cost", "search_seconds")
    return log.EvalSample(
        id=f"{history}-{row.question_index}",
        epoch=1,
        input=question,
        target=[without_surrogates(gold) for gold in row.golds],
        messages=[ChatMessageUser(content=question), *(one.message for one in output.choices)],
        output=output,
        scores={
            name: Score(value=value, answer=answer, explanation=rule)
            for name, value, rule in scores
            if value is not None
        },
        metadata={
            "source": row.source,
            "history": history,
            "question_index": row.question_index,
            "hit_rank": row.hit_rank,
            **{name: getattr(row, name) for name in (*same, *took)},
        },
        model_usage={model: output.usage} if output.usage else {},
        total_time=row.seconds,
        error=None if row.error is None else error,
    )


def _results(source: SourceSummary, samples: Sequence[EvalSample]) -> EvalResults:
    from inspect_ai import log

    scores = []
    for name, measure in source.measures.items():
        if measure is None:
            continue
        value, *limits, whose = measure.spread_out()
        metrics = {"mean": log.EvalMetric(name="mean", value=value / 100)}
        for end, limit in zip(("interval_low", "interval_high"), limits, strict=True):
            if limit is not None:
                about = {"interval": f"95 %, {whose}"}
                metrics[end] = log.EvalMetric(name=end, value=limit / 100, metadata=about)
        scores.append(
            log.EvalScore(
                name=name, scorer=f"mabench/{name}", scored_samples=len(samples), metrics=metrics
            )
        )
    completed = sum(sample.error is None for sample in samples)
    return log.EvalResults(
        total_samples=source.expected, completed_samples=completed, scores=scores
    )
