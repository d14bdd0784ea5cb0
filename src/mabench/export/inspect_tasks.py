"""Our sources as tasks of Inspect: ``inspect eval mabench/SOURCE -T agent=NAME -T data=DATA``.

Sources of one's own have the task ``own``, which takes the name of one as its argument ``source``.
inspect_ai loads this module through the entry point ``mabench`` of its group. The agent under
test is one of mabench, so the model that Inspect is given is not asked.
"""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from inspect_ai import Task, task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import ModelOutput, ModelUsage
from inspect_ai.scorer import SampleScore, Score, Scorer, Target, mean, metric, scorer, stderr
from inspect_ai.solver import Generate, Solver, TaskState, solver

from mabench.data import BY_NAME, Dataset, Source, find_source
from mabench.data.formats import published_sources
from mabench.export.histories import Histories
from mabench.export.names import history_id, plain_name, question_id
from mabench.families import Score as AnswerScore
from mabench.families import family_of, score_answer
from mabench.json_text import without_surrogates
from mabench.loading import catalogue_of, load
from mabench.scoring import Catalogue
from mabench.settings import build, list_options
from mabench.specs import RunSpec

_NO_MODEL = "none/none"
_SOURCES = {**BY_NAME, **published_sources()}
_OWN = "own"
_UNSCORED = "it takes a language model's verdict, or the entity file of the data set"


# The arguments of a task, by the option of `mabench run` that each is.
_NAMES = (
    *("agent", "data", "protocol", "chunk_tokens", "prompts", "model", "base_url", "temperature"),
    *("meter", "prices", "python", "memorize_timeout", "answer_timeout"),
)
_ARGUMENTS = {"settings": "set", **{name: name for name in _NAMES}}


def _run_spec(arguments: Mapping[str, Any], source: str) -> RunSpec:
    """Return the run over a source whose experiment a task is; ``settings`` may be JSON."""
    values = {option: arguments[name] for name, option in _ARGUMENTS.items()}
    if isinstance(values["set"], str):
        values["set"] = json.loads(values["set"])
    values["set"] = dict(values["set"] or {})
    values["prices"] = values["prices"] and Path(values["prices"])
    return build(RunSpec, {**values, "source": (source,)})


def _task_of(known: str | None) -> Callable[..., Task]:
    """Return the function that makes the task of a source; if None, of its argument ``source``."""
    options = list_options(RunSpec)
    parameters = [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=options[option].default)
        for name, option in _ARGUMENTS.items()
    ]
    if known is None:
        parameters.insert(0, inspect.Parameter("source", inspect.Parameter.KEYWORD_ONLY))
    signature = inspect.Signature(parameters)

    def make(**given: Any) -> Task:
        bound = signature.bind(**given)
        bound.apply_defaults()
        arguments = bound.arguments
        source = known or arguments["source"]
        histories = Histories(_run_spec(arguments, source), source)
        return Task(
            dataset=MemoryDataset(_samples(histories), name=source),
            solver=_asking(histories),
            scorer=[official(arguments["data"]), corrected(arguments["data"])],
            model=_NO_MODEL,
            metadata={
                "agent": arguments["agent"],
                "reader": arguments["model"],
                "source": source,
                "protocol": arguments["protocol"],
            },
        )

    make.__signature__ = signature  # type: ignore[attr-defined]
    make.__name__ = make.__qualname__ = plain_name(known) if known else _OWN
    make.__doc__ = f"{known or 'A source of your own'}, by an agent of mabench."
    return make


def _samples(histories: Histories) -> list[Sample]:
    return [
        Sample(
            id=question_id(one.split, one.row, one.question_index),
            input=without_surrogates(one.question),
            target=[without_surrogates(gold) for gold in one.answers],
            metadata={
                "source": one.source,
                "history": history_id(one.split, one.row),
                "row": one.row,
                "question_index": one.question_index,
                "question_type": one.question_type,
            },
        )
        for row in histories.rows.values()
        for one in row.flatten()
    ]


def _asking(histories: Histories) -> Solver:
    async def solve(state: TaskState, generate: Generate) -> TaskState:
        place = state.metadata
        sample, seconds, calls = await histories.ask(
            place["row"], place["question_index"], state.epoch
        )
        text = without_surrogates(sample.prediction or "")
        state.output = ModelOutput.from_content(str(state.model), text)
        if sample.input_tokens is not None or sample.output_tokens is not None:
            read, written = sample.input_tokens or 0, sample.output_tokens or 0
            state.output.usage = ModelUsage(
                input_tokens=read, output_tokens=written, total_tokens=read + written
            )
        state.messages.append(state.output.message)
        state.metadata |= {
            "gold_rank": sample.hit_rank,
            "seconds": round(seconds, 6),
            "error": sample.error and without_surrogates(sample.error),
            "cost": sample.cost,
        }
        if calls:
            state.metadata["memory_calls"] = calls.as_dict()
        if sample.redacted:  # The answer that was scored is not in the log.
            state.metadata["scores"] = {
                "official": dict(sample.official),
                "corrected": dict(sample.corrected),
                "rule": sample.rule,
            }
        return state

    made: Solver = solver(name="mabench_agent")(lambda: solve)()
    return made


def _scorer(name: str, of: Callable[[TaskState, Target, str | None], Score]) -> Any:
    """Return a scorer of Inspect that is registered under a name of ours."""

    def make(data: str | None = None) -> Scorer:
        async def score(state: TaskState, target: Target) -> Score:
            return of(state, target, data)

        return score

    make.__name__ = make.__qualname__ = name
    return scorer(metrics=[mean(), clustered_stderr()], name=name)(make)


def _clustered_stderr() -> Callable[[list[SampleScore]], float]:
    """Return the standard error clustered by history; it is unknown with a single history."""
    clustered = stderr(cluster="history")

    def of(scores: list[SampleScore]) -> float:
        histories = {(one.sample_metadata or {}).get("history") for one in scores}
        return float(clustered(scores)) if len(histories) > 1 else float("nan")

    return of


def _score(state: TaskState, target: Target, data: str | None) -> Any:
    source = _source(state.metadata["source"], data)
    if stored := state.metadata.get("scores"):
        metric = family_of(source).metric
        rules = {metric: stored["rule"]}
        return AnswerScore(metric, stored["official"], stored["corrected"], rules)
    answer = None if state.metadata.get("error") else state.output.completion
    entities = _catalogue(data) if data and family_of(source).needs_entities else None
    kind = state.metadata.get("question_type")
    return score_answer(source, answer, list(target), state.input_text, entities, kind)


def _official(state: TaskState, target: Target, data: str | None) -> Score:
    value = _score(state, target, data).reported
    return _scored(value, state, None)


def _corrected(state: TaskState, target: Target, data: str | None) -> Score:
    score = _score(state, target, data)
    return _scored(score.reported_corrected, state, score.rules.get(score.metric))


def _scored(value: float | None, state: TaskState, rule: str | None) -> Score:
    answer = state.output.completion
    if value is None:
        return Score.unscored(reason="scoring_failed", answer=answer, explanation=_UNSCORED)
    return Score(value=float(value), answer=answer, explanation=rule)


@cache
def _dataset(data: str) -> Dataset:
    return load(data)


def _source(name: str, data: str | None) -> Source:
    """Return a source by name, which a data set may declare."""
    return find_source(name, _dataset(data).sources if data else {**BY_NAME, **published_sources()})


@cache
def _catalogue(data: str) -> Catalogue | None:
    return catalogue_of(_dataset(data), None)


clustered_stderr = metric(name="stderr")(_clustered_stderr)
official = _scorer("official", _official)
corrected = _scorer("corrected", _corrected)
TASKS = {name: task(name=plain_name(name))(_task_of(name)) for name in _SOURCES} | {
    _OWN: task(name=_OWN)(_task_of(None))
}
