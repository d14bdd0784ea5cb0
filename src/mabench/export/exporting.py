"""Writing a run in one of the formats; the file or folder is there only once it is whole."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Iterator, Mapping, Sequence
from enum import StrEnum
from itertools import chain
from pathlib import Path

from mabench._version import __version__
from mabench.csv_text import write_csv
from mabench.data.inventory import BY_NAME, HUB_ID, Source
from mabench.errors import UsageError, require, unknown
from mabench.families import family_of
from mabench.json_text import Json, to_json
from mabench.outfile import write_whole
from mabench.results import (
    MeanScore,
    Measure,
    QuestionRow,
    Run,
    RunRecord,
    RunSummary,
    SourceScores,
    refuse_repeated_paths,
)

# Of Every Eval Ever, whose schema is described by the package ``every-eval-ever`` 0.3.0. Scores are
# proportions from 0 to 1. It has room for one interval: that for new histories where there is one,
# else that for these histories, with the other in the details.
_BENCHMARK = "MemoryAgentBench"
_NEW = "Student's t with standard errors clustered by history: for new histories of the same kind"
_THESE = "for other questions about the same histories; not for new ones"


class Format(StrEnum):
    """What a run can be exported to."""

    INSPECT = "inspect"  # A folder with a log for each source.
    EVERY_EVAL_EVER = "every-eval-ever"  # A JSON file.
    CSV = "csv"  # A table with a line for each question, as is the next.
    PARQUET = "parquet"


def export(runs: Run | Sequence[Run], to: str, out: str | Path) -> None:
    """Write a run for another tool where nothing is, or for ``inspect`` into an empty folder.

    A table takes several runs.

    Raises:
        UsageError: when there is no such format, or it is of one run, or something is there.
        MissingPackageError: when the format takes a package that is not installed.
        DataError: when the run cannot be read or the place cannot be written.
    """
    if to not in [*Format]:
        raise UsageError(unknown("unknown format", to, Format), parameter="to")
    listed = [runs] if isinstance(runs, Run) else runs
    refuse_repeated_paths(each.folder for each in listed)
    (run, *others), place = listed, Path(out)
    if others and to not in (Format.CSV, Format.PARQUET):
        raise UsageError(f"{to} exports one run; csv and parquet export several", parameter="to")
    is_empty = to == Format.INSPECT and place.is_dir() and not any(place.iterdir())
    if os.path.lexists(place) and not is_empty:
        raise UsageError(f"{place} exists already; choose another name", parameter="out")
    with write_whole(place) as part:
        match Format(to):
            case Format.INSPECT:
                require("inspect_ai", "inspect")
                from mabench.export.inspect_tasks import write_inspect_logs

                write_inspect_logs(run, part)
            case Format.EVERY_EVAL_EVER:
                _write_every_eval_ever(run, part)
            case Format.CSV:
                with part.open("w", encoding="utf-8", newline="") as stream:
                    rows = (row for run in listed for row in run.rows())
                    write_csv(stream, chain([QuestionRow._fields], rows))
            case Format.PARQUET:
                import pyarrow

                from mabench.data.arrow import import_parquet

                table = pyarrow.concat_tables([run.table() for run in listed])
                import_parquet().write_table(table, part)


def _write_every_eval_ever(run: Run, file: Path) -> None:
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
    for name, mean in summary.means.items():
        kind = "column " if name in summary.columns else "category "
        place = f"{kind}{name}" if name != "Overall" else "overall"
        yield from _of_both(place, mean, "mean", {})


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
    for kind, measure in scores.measures.items():
        if measure is None:
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
            "score_details": _score_details(measure, questions, details),
        }


def _score_details(
    measure: Measure, questions: int | None, about: Mapping[str, str]
) -> dict[str, Json]:
    details: dict[str, Json] = dict(about)
    content: dict[str, Json] = {"score": measure.value / 100}
    new, these = measure.new, measure.these
    if limits := measure.limits:
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
