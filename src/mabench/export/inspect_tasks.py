"""Offers our sources as tasks of Inspect, and writes a run as logs of Inspect.

``inspect eval mabench/SOURCE -T agent=NAME -T data=DATA`` runs a task. A source of a user's own is
run by the task ``own``, with its name as the argument ``source``. inspect_ai loads this module
through its entry point ``mabench``. The agent under test is one of mabench: the model that the user
gives to Inspect is never called.
"""

from __future__ import annotations

import inspect
import json
import re
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any

from inspect_ai import Task, log, task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import ChatMessageUser, ModelOutput, ModelUsage
from inspect_ai.scorer import SampleScore, Score, Scorer, Target, mean, metric, scorer, stderr
from inspect_ai.solver import Generate, Solver, TaskState, solver

from mabench.data import BY_NAME, Source, find_source
from mabench.data.formats import published_sources
from mabench.export.histories import Histories
from mabench.families import Score as AnswerScore
from mabench.families import family_of, score_answer
from mabench.json_text import without_surrogates
from mabench.loading import catalogue_of, load
from mabench.results import Run, RunRecord, ScoredQuestion, SourceSummary
from mabench.scoring import Catalogue
from mabench.settings import build, list_options
from mabench.specs import RunSpec

_SOURCES = {**BY_NAME, **published_sources()}
_OWN = "own"
_UNSCORED = "it needs a language model's verdict or the data set's entity file"
# The arguments of a task, with the option of `mabench run` that each stands for.
_SAME_NAMES = (
    *("agent", "data", "protocol", "chunk_tokens", "prompts", "model", "base_url", "temperature"),
    *("meter", "prices", "python", "memorize_timeout", "answer_timeout"),
)
_ARGUMENTS = {"settings": "set", **{name: name for name in _SAME_NAMES}}


def _task_of(name: str | None) -> Callable[..., Task]:
    """Return a function that makes the task of a source.

    Without a name, the function has an argument ``source``.
    """
    options = list_options(RunSpec)
    parameters = [
        inspect.Parameter(argument, inspect.Parameter.KEYWORD_ONLY, default=options[option].default)
        for argument, option in _ARGUMENTS.items()
    ]
    if name is None:
        parameters.insert(0, inspect.Parameter("source", inspect.Parameter.KEYWORD_ONLY))
    signature = inspect.Signature(parameters)

    def make(**values: Any) -> Task:
        bound = signature.bind(**values)
        bound.apply_defaults()
        arguments = bound.arguments
        source = name or arguments["source"]
        settings = {option: arguments[argument] for argument, option in _ARGUMENTS.items()}
        if isinstance(settings["set"], str):
            settings["set"] = json.loads(settings["set"])
        settings["set"] = dict(settings["set"] or {})
        if settings["prices"]:
            settings["prices"] = Path(settings["prices"])
        histories = Histories(build(RunSpec, {**settings, "source": (source,)}), source)
        return Task(
            dataset=MemoryDataset(_samples(histories), name=source),
            solver=_solver(histories),
            scorer=[_official(arguments["data"]), _corrected(arguments["data"])],
            model="none/none",
            metadata={
                "agent": arguments["agent"],
                "reader": arguments["model"],
                "source": source,
                "protocol": arguments["protocol"],
            },
        )

    make.__signature__ = signature  # type: ignore[attr-defined]
    make.__name__ = make.__qualname__ = _plain_name(name) if name else _OWN
    make.__doc__ = f"{name or 'A source of your own'}, by an agent of mabench."
    return make


def _samples(histories: Histories) -> list[Sample]:
    """Return the questions of all histories as samples of Inspect."""
    return [
        Sample(
            id=f"{_history_id(question.split, question.row)}-{question.question_index}",
            input=without_surrogates(question.question),
            target=[without_surrogates(gold) for gold in question.answers],
            metadata={
                "source": question.source,
                "history": _history_id(question.split, question.row),
                "row": question.row,
                "question_index": question.question_index,
                "question_type": question.question_type,
            },
        )
        for row in histories.rows.values()
        for question in row.flatten()
    ]


def _solver(histories: Histories) -> Solver:
    """Return a solver that asks the agent and writes the answer into the state of a task."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        row, index = state.metadata["row"], state.metadata["question_index"]
        sample, seconds, calls = await histories.ask(row, index, state.epoch)
        state.output = _model_output(
            str(state.model), sample.prediction or "", sample.input_tokens, sample.output_tokens
        )
        state.messages.append(state.output.message)
        state.metadata |= {
            "hit_rank": sample.hit_rank,
            "seconds": round(seconds, 6),
            "error": None if sample.error is None else without_surrogates(sample.error),
            "cost": sample.cost,
        }
        if calls:
            state.metadata["memory_calls"] = calls.as_dict()
        if sample.redacted:  # The answer in the log lacks a secret and cannot be scored again.
            state.metadata["scores"] = {
                "official": dict(sample.official),
                "corrected": dict(sample.corrected),
                "rule": sample.rule,
            }
        return state

    # Inspect's decorator takes a function that returns a solver.
    make_solver = solver(name="mabench_agent")(lambda: solve)
    made: Solver = make_solver()
    return made


def _score(state: TaskState, target: Target, data: str | None) -> AnswerScore:
    """Return both scores of an answer in the state of a task; ``data`` names its data set."""
    sources, read_catalogue = _open(data) if data else (_SOURCES, None)
    source = find_source(state.metadata["source"], sources)
    family = family_of(source)
    stored = state.metadata.get("scores")
    if stored:
        rules = {family.metric: stored["rule"]}
        return AnswerScore(family.metric, stored["official"], stored["corrected"], rules)
    answer = None if state.metadata.get("error") else state.output.completion
    entities = read_catalogue() if read_catalogue and family.needs_entities else None
    question_type = state.metadata.get("question_type")
    return score_answer(source, answer, list(target), state.input_text, entities, question_type)


def _scorer(name: str, result_of: Callable[[AnswerScore], tuple[float | None, str | None]]) -> Any:
    """Register a scorer under a name; ``result_of`` returns its value and rule for a score."""

    def make(data: str | None = None) -> Scorer:
        async def score(state: TaskState, target: Target) -> Score:
            value, rule = result_of(_score(state, target, data))
            answer = state.output.completion
            if value is None:
                return Score.unscored(reason="scoring_failed", answer=answer, explanation=_UNSCORED)
            return Score(value=float(value), answer=answer, explanation=rule)

        return score

    make.__name__ = make.__qualname__ = name
    return scorer(metrics=[mean(), _stderr()], name=name)(make)


def _clustered_stderr() -> Callable[[list[SampleScore]], float]:
    """Return a metric: the standard error clustered by history, NaN for a single history."""
    clustered = stderr(cluster="history")

    def standard_error(scores: list[SampleScore]) -> float:
        histories = {(score.sample_metadata or {}).get("history") for score in scores}
        return float(clustered(scores)) if len(histories) > 1 else float("nan")

    return standard_error


@cache
def _open(data: str) -> tuple[Mapping[str, Source], Callable[[], Catalogue | None]]:
    """Return the sources of a data set, and a function that returns its catalogue."""
    dataset = load(data)
    return dataset.sources, cache(lambda: catalogue_of(dataset))


def write_inspect_logs(run: Run, folder: Path) -> None:
    """Write a log for each source of a run into an empty folder.

    Raises:
        DataError: when the run cannot be read.
        OSError: when a log cannot be written.
    """
    questions: dict[str, list[ScoredQuestion]] = defaultdict(list)
    for question in run.questions():
        questions[question.sample.source].append(question)
    for source, summary in run.summary.sources.items():
        file = folder / f"{_plain_name(source)}.eval"
        while file.exists():
            file = file.with_stem(f"{file.stem}_")
        log.write_eval_log(_log(run.record, source, summary, questions[source]), str(file))


def _log(
    record: RunRecord, name: str, source: SourceSummary, questions: Sequence[ScoredQuestion]
) -> log.EvalLog:
    """Return the log of one source of a run."""
    date = record.date or datetime.now(UTC).isoformat(timespec="seconds")
    agent = without_surrogates(record.agent)
    # A log needs a model; without a reading model, the agent stands for it.
    model = without_surrogates(record.model.name if record.model else f"mabench/{record.agent}")
    samples = [_sample(question, model) for question in questions]
    return log.EvalLog(
        status="success" if source.n == source.expected else "cancelled",
        eval=log.EvalSpec(
            created=date,
            task=f"mabench/{_plain_name(name)}",
            task_id=_plain_name(f"{name}-{record.data.fingerprint[:12]}-{record.agent}"),
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
                "takes": record.takes.as_dict() if record.takes else None,
                "memory": source.memory.as_dict() if source.memory else None,
            },
        ),
        plan=log.EvalPlan(steps=[log.EvalPlanStep(solver=agent)]),
        stats=log.EvalStats(started_at=date, completed_at=date),
        results=_results(source, samples),
        samples=samples,
    )


def _sample(scored: ScoredQuestion, model: str) -> log.EvalSample:
    """Return a question of a run as a sample of a log."""
    sample = scored.sample
    question = without_surrogates(sample.question)
    answer = None if sample.prediction is None else without_surrogates(sample.prediction)
    output = _model_output(model, sample.prediction, sample.input_tokens, sample.output_tokens)
    error = None
    if sample.error is not None:
        message = without_surrogates(sample.error)
        error = log.EvalError(message=message, traceback=message, traceback_ansi=message)
    scores = {}
    if scored.official is not None:
        scores["official"] = Score(value=scored.official, answer=answer)
    if scored.corrected is not None:
        scores["corrected"] = Score(value=scored.corrected, answer=answer, explanation=scored.rule)
    history = _history_id(sample.split, sample.row)
    return log.EvalSample(
        id=f"{history}-{sample.question_index}",
        epoch=1,
        input=question,
        target=[without_surrogates(gold) for gold in sample.answers],
        messages=[
            ChatMessageUser(content=question),
            *(choice.message for choice in output.choices),
        ],
        output=output,
        scores=scores,
        metadata={
            "source": sample.source,
            "history": history,
            "question_index": sample.question_index,
            "hit_rank": sample.hit_rank,
            "rule": scored.rule,
            "verdict": scored.verdict,
            "part": scored.part,
            "question_type": sample.question_type,
            "hit_by": sample.hit_by,
            "evidence_recall": sample.evidence_recall,
            "asked_after": sample.asked_after,
            "cost": sample.cost,
            "search_seconds": scored.search_seconds,
            "judgments": [
                {
                    "model": judgment.model,
                    "prompts": judgment.prompts,
                    "value": judgment.value,
                    "words": without_surrogates(judgment.words or judgment.error or ""),
                }
                for judgment in scored.verdicts
            ],
        },
        model_usage={model: output.usage} if output.usage else {},
        total_time=scored.seconds,
        error=error,
    )


def _results(source: SourceSummary, samples: Sequence[log.EvalSample]) -> log.EvalResults:
    """Return the scores of a source, with their intervals, for a log."""
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


def _plain_name(text: str) -> str:
    """Return a text with an underscore for all but letters, digits, dots and hyphens."""
    return re.sub(r"[^\w.-]+", "_", text, flags=re.ASCII).strip("_.") or "unnamed"


def _history_id(split: str, row: int) -> str:
    """Return a name for a history, unique in its data set and without ``/``."""
    return f"{_plain_name(split)}-{row}"


def _model_output(
    model: str, answer: str | None, input_tokens: int | None, output_tokens: int | None
) -> ModelOutput:
    """Return an answer as the output of a model, with its tokens if they are known."""
    output = ModelOutput(model=model)
    if answer is not None:
        output = ModelOutput.from_content(model, without_surrogates(answer))
    if input_tokens is not None or output_tokens is not None:
        read, written = input_tokens or 0, output_tokens or 0
        output.usage = ModelUsage(
            input_tokens=read, output_tokens=written, total_tokens=read + written
        )
    return output


_stderr = metric(name="stderr")(_clustered_stderr)
_official = _scorer("official", lambda score: (score.reported, None))
_corrected = _scorer(
    "corrected", lambda score: (score.reported_corrected, score.rules.get(score.metric))
)
_TASKS = {name: task(name=_plain_name(name))(_task_of(name)) for name in _SOURCES}
_TASKS[_OWN] = task(name=_OWN)(_task_of(None))
