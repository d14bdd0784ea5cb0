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
from typing import NamedTuple

from mabench._version import __version__
from mabench.data.inventory import BY_NAME, HUB_ID, Source
from mabench.families import family_of
from mabench.json_text import Json, to_json
from mabench.results import Intervals, JudgeName, Run, RunSummary
from mabench.results.records.record import RunRecord

SCHEMA_VERSION = "0.3.0"
_BENCHMARK = "MemoryAgentBench"
_LEVEL = 0.95
_NEW = "Student's t with standard errors clustered by history: for new histories of the same kind"
_THESE = "for other questions about the same histories; it says nothing about new ones"


class _Score(NamedTuple):
    """One score of a run: a mean over questions or over sources, from 0 to 100.

    ``published`` says whether it is of MemoryAgentBench.
    """

    name: str
    kind: str
    metric: str
    value: float
    intervals: Intervals | None
    questions: int | None = None
    judge: JudgeName | None = None
    details: Mapping[str, str] = {}
    published: bool = True


def write_every_eval_ever(run: Run, file: Path) -> None:
    """Write a run as one record: its sources, and the columns and means that are complete."""
    record = _record(run.record, run.summary, str(int(time.time())))
    file.write_text(to_json(record, indent=2) + "\n", encoding="utf-8", errors="replace")


def _record(run: RunRecord, summary: RunSummary, now: str) -> dict[str, Json]:
    dated: dict[str, Json] = {"evaluation_timestamp": run.date} if run.date else {}
    scores = [*_of_sources(summary, run.all_sources), *_of_means(summary)]
    name = _slug(f"{run.agent} {run.data.name} {run.model.name if run.model else ''}")
    return {
        "schema_version": SCHEMA_VERSION,
        "evaluation_id": f"mabench/{name}/{now}",
        **dated,
        "retrieved_timestamp": now,
        "source_metadata": {
            "source_name": "mabench",
            "source_type": "evaluation_run",
            "source_organization_name": "not stated",
            "evaluator_relationship": "other",
        },
        "eval_library": {"name": "mabench", "version": run.mabench or __version__},
        "model_info": _model(run),
        "evaluation_results": [
            {**_result(score), "source_data": _data(run), "generation_config": _how(run)}
            for score in scores
        ],
    }


def _of_sources(summary: RunSummary, sources: Mapping[str, Source]) -> Iterator[_Score]:
    for name, source in summary.sources.items():
        details = {
            "questions_asked": str(source.n),
            "questions_in_all": str(source.expected),
            "errors": str(source.errors),
            "competency": sources[name].competency,
        }
        metric = family_of(name, sources).metric
        for kind, value, intervals in (
            ("official", source.official, source.interval),
            ("corrected", source.corrected, source.interval_corrected),
        ):
            if value is not None:
                ours = name in BY_NAME
                yield _Score(
                    name, kind, metric, value, intervals, source.n, source.judge, details, ours
                )


def _of_means(summary: RunSummary) -> Iterator[_Score]:
    """Yield the columns, categories and the overall score of the paper's table."""
    for kind, means in (("column", summary.columns), ("category", summary.categories)):
        for name, mean in means.items():
            if mean.official is not None:
                yield _Score(f"{kind} {name}", "official", "mean", mean.official, mean.interval)
            if mean.corrected is not None:
                value, intervals = mean.corrected, mean.interval_corrected
                yield _Score(f"{kind} {name}", "corrected", "mean", value, intervals)
    if summary.overall is not None:
        yield _Score("overall", "official", "mean", summary.overall, summary.overall_interval)
    if summary.overall_corrected is not None:
        value, intervals = summary.overall_corrected, summary.overall_corrected_interval
        yield _Score("overall", "corrected", "mean", value, intervals)


def _result(score: _Score) -> dict[str, Json]:
    metric: dict[str, Json] = {
        "evaluation_description": _description(score),
        "metric_id": f"mabench.{score.metric}.{score.kind}",
        "metric_name": f"{score.metric} ({score.kind})",
        "metric_kind": score.metric,
        "metric_unit": "proportion",
        "lower_is_better": False,
        "score_type": "continuous",
        "min_score": 0.0,
        "max_score": 1.0,
    }
    if score.judge:
        metric["llm_scoring"] = _judge(score.judge)
    return {
        "evaluation_result_id": f"{score.name}/{score.kind}",
        "evaluation_name": f"{_BENCHMARK} {score.name}" if score.published else score.name,
        "metric_config": metric,
        "score_details": _score_details(score),
    }


def _description(score: _Score) -> str:
    if score.judge:
        return "A language model's verdict on each answer."
    if score.kind == "official" and not score.published:
        return f"The metric {score.metric} of the answers, as mabench computes it."
    if score.kind == "official":
        return "What the published scorer of MemoryAgentBench computes."
    return "What a careful reader would accept, by the stated rules of mabench."


def _score_details(score: _Score) -> dict[str, Json]:
    details: dict[str, Json] = dict(score.details)
    content: dict[str, Json] = {"score": score.value / 100}
    limits = score.intervals and (score.intervals.new_histories or score.intervals.these_histories)
    if score.intervals and limits:
        is_new = score.intervals.new_histories is not None
        uncertainty: dict[str, Json] = {
            "confidence_interval": {
                "lower": limits[0] / 100,
                "upper": limits[1] / 100,
                "confidence_level": _LEVEL,
                "method": _NEW if is_new else _THESE,
            }
        }
        if score.questions is not None:
            uncertainty["num_samples"] = score.questions
        content["uncertainty"] = uncertainty
        if is_new and (these := score.intervals.these_histories):
            details["interval_these_histories"] = f"{these[0] / 100:.6f} to {these[1] / 100:.6f}"
    return {**content, "details": details} if details else content


def _judge(judge: JudgeName) -> dict[str, Json]:
    return {
        "judges": [{"model_info": _model_info(judge.model, judge.model, {})}],
        "input_prompt": f"the prompts of mabench with the hash {judge.prompts}",
    }


def _model(run: RunRecord) -> dict[str, Json]:
    """Return what was evaluated: the model that reads, else the agent itself."""
    agent = {"agent_scaffold": run.agent}
    if run.model:
        return _model_info(run.model.name, run.model.name, agent)
    return _model_info(run.agent, f"mabench/{_slug(run.agent)}", agent)


def _model_info(name: str, id_: str, details: Mapping[str, str]) -> dict[str, Json]:
    unknown = {"deployment_type": "unknown", "model_availability": "unknown"}
    return {"name": name, "id": id_, "additional_details": {**unknown, **details}}


def _data(run: RunRecord) -> dict[str, Json]:
    about: dict[str, Json] = {"fingerprint": run.data.fingerprint}
    if run.data.revision:
        return {
            "dataset_name": _BENCHMARK,
            "source_type": "hf_dataset",
            "hf_repo": HUB_ID,
            "samples_number": sum(source.questions for source in BY_NAME.values()),
            "additional_details": {**about, "revision": run.data.revision},
        }
    return {
        "dataset_name": run.data.name,
        "source_type": "other",
        "additional_details": about,
    }


def _how(run: RunRecord) -> dict[str, Json]:
    """Return how the agent was told and asked; every detail is a string."""
    how: dict[str, Json] = {}
    if run.model:
        how["temperature"] = run.model.temperature
    if run.command:
        how["execution_command"] = run.command
    details: dict[str, Json] = {
        "agent_scaffold": run.agent,
        "protocol": run.protocol,
        "prompts_hash": run.prompts,
    }
    if run.chunk_tokens:
        details["chunk_tokens"] = str(run.chunk_tokens)
    return {"generation_args": how, "additional_details": details}


def _slug(text: str) -> str:
    return re.sub(r"[^A-Za-z0-9.]+", "-", text).strip("-.").lower() or "unnamed"
