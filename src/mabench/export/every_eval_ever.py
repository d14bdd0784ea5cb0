"""A run as a record of Every Eval Ever, the shared schema of evaluation results, version 0.3.

The facts of the schema come from the package ``every-eval-ever`` 0.3.0. Scores are proportions
from 0 to 1. The schema has room for one interval: that for new histories where there is one, else
that for these histories, with the other in the details.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterator, Mapping
from pathlib import Path

from mabench._version import __version__
from mabench.data.inventory import BY_NAME, HUB_ID, Source
from mabench.families import family_of
from mabench.json_text import Json, to_json
from mabench.results import Intervals, MeanScore, Run, RunRecord, RunSummary, SourceScores

_BENCHMARK = "MemoryAgentBench"
_NEW = "Student's t with standard errors clustered by history: for new histories of the same kind"
_THESE = "for other questions about the same histories; it says nothing about new ones"


def write_every_eval_ever(run: Run, file: Path) -> None:
    """Write a run as one record: its sources, and the columns and means that are complete."""
    record, now = run.record, str(int(time.time()))
    about = _about(record)
    dated: dict[str, Json] = {"evaluation_timestamp": record.date} if record.date else {}
    model = record.model.name if record.model else ""
    content: dict[str, Json] = {
        "schema_version": "0.3.0",
        "evaluation_id": f"mabench/{_slug(f'{record.agent} {record.data.name} {model}')}/{now}",
        **dated,
        "retrieved_timestamp": now,
        "source_metadata": {
            "source_name": "mabench",
            "source_type": "evaluation_run",
            "source_organization_name": "not stated",
            "evaluator_relationship": "other",
        },
        "eval_library": {"name": "mabench", "version": record.mabench or __version__},
        # What was evaluated: the model that reads, else the agent itself.
        "model_info": _model_info(
            model or record.agent,
            model or f"mabench/{_slug(record.agent)}",
            agent_scaffold=record.agent,
        ),
        "evaluation_results": [
            {**result, **about} for result in _results(run.summary, record.all_sources)
        ],
    }
    file.write_text(to_json(content, indent=2) + "\n", encoding="utf-8", errors="replace")


def _results(summary: RunSummary, sources: Mapping[str, Source]) -> Iterator[dict[str, Json]]:
    for name, source in summary.sources.items():
        figures = source.memory.figures() if source.memory else {}
        details = {
            "questions_asked": str(source.n),
            "questions_in_all": str(source.expected),
            "errors": str(source.errors),
            "competency": sources[name].competency,
            **{figure: f"{value:.6g}" for figure, (_, value) in figures.items()},
        }
        metric = family_of(name, sources).metric
        yield from _of_both(name, source, metric, details, published=name in BY_NAME)
    for kind, means in (("column", summary.columns), ("category", summary.categories)):
        for name, mean in means.items():
            yield from _of_both(f"{kind} {name}", mean, "mean", {})
    overall = MeanScore(
        official=summary.overall,
        corrected=summary.overall_corrected,
        interval=summary.overall_interval,
        interval_corrected=summary.overall_corrected_interval,
        complete=True,
        coverage=1.0,
    )
    yield from _of_both("overall", overall, "mean", {})


def _of_both(
    name: str,
    scores: SourceScores | MeanScore,
    metric: str,
    details: Mapping[str, str],
    *,
    published: bool = True,
) -> Iterator[dict[str, Json]]:
    """Yield the official and the corrected score of a source, or of a mean over sources."""
    judge, questions = None, None
    if isinstance(scores, SourceScores):
        judge, questions = scores.judge, scores.n
    for kind, value, intervals in (
        ("official", scores.official, scores.interval),
        ("corrected", scores.corrected, scores.interval_corrected),
    ):
        if value is None:
            continue
        if judge:
            description = "A language model's verdict on each answer."
        elif kind == "corrected":
            description = "What a careful reader would accept, by the stated rules of mabench."
        elif published:
            description = "What the published scorer of MemoryAgentBench computes."
        else:
            description = f"The metric {metric} of the answers, as mabench computes it."
        config: dict[str, Json] = {
            "evaluation_description": description,
            "metric_id": f"mabench.{metric}.{kind}",
            "metric_name": f"{metric} ({kind})",
            "metric_kind": metric,
            "metric_unit": "proportion",
            "lower_is_better": False,
            "score_type": "continuous",
            "min_score": 0.0,
            "max_score": 1.0,
        }
        if judge:
            config["llm_scoring"] = {
                "judges": [{"model_info": _model_info(judge.model, judge.model)}],
                "input_prompt": f"the prompts of mabench with the hash {judge.prompts}",
            }
        yield {
            "evaluation_result_id": f"{name}/{kind}",
            "evaluation_name": f"{_BENCHMARK} {name}" if published else name,
            "metric_config": config,
            "score_details": _score_details(value, intervals, questions, details),
        }


def _score_details(
    value: float, intervals: Intervals | None, questions: int | None, about: Mapping[str, str]
) -> dict[str, Json]:
    details: dict[str, Json] = dict(about)
    content: dict[str, Json] = {"score": value / 100}
    new, these = (intervals.new_histories, intervals.these_histories) if intervals else (None, None)
    if limits := new or these:
        interval: dict[str, Json] = {
            "lower": limits[0] / 100,
            "upper": limits[1] / 100,
            "confidence_level": 0.95,
            "method": _NEW if new else _THESE,
        }
        number: dict[str, Json] = {} if questions is None else {"num_samples": questions}
        content["uncertainty"] = {"confidence_interval": interval, **number}
        if new and these:
            details["interval_these_histories"] = f"{these[0] / 100:.6f} to {these[1] / 100:.6f}"
    return {**content, "details": details} if details else content


def _model_info(name: str, id_: str, **details: str) -> dict[str, Json]:
    unknown = {"deployment_type": "unknown", "model_availability": "unknown"}
    return {"name": name, "id": id_, "additional_details": {**unknown, **details}}


def _about(record: RunRecord) -> dict[str, Json]:
    """Return what each result says of the data and of how answers came to be."""
    prints: dict[str, Json] = {"fingerprint": record.data.fingerprint}
    data: dict[str, Json] = {"dataset_name": record.data.name, "source_type": "other"}
    if record.data.revision:
        prints["revision"] = record.data.revision
        number = sum(source.questions for source in BY_NAME.values())
        data = {"dataset_name": _BENCHMARK, "source_type": "hf_dataset", "hf_repo": HUB_ID}
        data["samples_number"] = number
    arguments: dict[str, Json] = {}
    if record.model:
        arguments["temperature"] = record.model.temperature
    if record.command:
        arguments["execution_command"] = record.command
    details: dict[str, Json] = {
        "agent_scaffold": record.agent,
        "protocol": record.protocol,
        "prompts_hash": record.prompts,
    }
    if record.chunk_tokens:
        details["chunk_tokens"] = str(record.chunk_tokens)
    if record.takes:
        details["conversations"] = str(record.takes)
    return {
        "source_data": {**data, "additional_details": prints},
        "generation_config": {"generation_args": arguments, "additional_details": details},
    }


def _slug(text: str) -> str:
    return re.sub(r"[^A-Za-z0-9.]+", "-", text).strip("-.").lower() or "unnamed"
