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
from inspect_ai.scorer import SampleScore, Score, Scorer, Target, mean, metric, scorer, stderr
from inspect_ai.solver import Generate, Solver, TaskState, solver

from mabench.data import BY_NAME, Source, find_source
from mabench.data.readers.formats import published_sources
from mabench.export.histories import Histories
from mabench.export.inspect_logs import history_id, model_output, plain_name
from mabench.families import Score as AnswerScore
from mabench.families import family_of, score_answer
from mabench.json_text import without_surrogates
from mabench.loading import catalogue_of, load
from mabench.scoring import Catalogue
from mabench.settings import build, list_options
from mabench.specs import RunSpec

_SOURCES = {**BY_NAME, **published_sources()}
_OWN = "own"
_UNSCORED = "it needs a language model's verdict or the data set's entity file"
# The arguments of a task, by the option of `mabench run` that each is.
_NAMES = (
    *("agent", "data", "protocol", "chunk_tokens", "prompts", "model", "base_url", "temperature"),
    *("meter", "prices", "python", "memorize_timeout", "answer_timeout"),
)
_ARGUMENTS = {"settings": "set", **{name: name for name in _NAMES}}


def _task_of(name: str | None) -> Callable[..., Task]:
    """Return the function that makes the task of a source; if None, of its argument ``source``."""
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
        settings["prices"] = settings["prices"] and Path(settings["prices"])
        histories = Histories(build(RunSpec, {**settings, "source": (source,)}), source)
        return Task(
            dataset=MemoryDataset(_samples(histories), name=source),
            solver=_solver(histories),
            scorer=[official(arguments["data"]), corrected(arguments["data"])],
            model="none/none",
            metadata={
                "agent": arguments["agent"],
                "reader": arguments["model"],
                "source": source,
                "protocol": arguments["protocol"],
            },
        )

    make.__signature__ = signature  # type: ignore[attr-defined]
    make.__name__ = make.__qualname__ = plain_name(name) if name else _OWN
    make.__doc__ = f"{name or 'A source of your own'}, by an agent of mabench."
    return make


def _samples(histories: Histories) -> list[Sample]:
    return [
        Sample(
            id=f"{history_id(question.split, question.row)}-{question.question_index}",
            input=without_surrogates(question.question),
            target=[without_surrogates(gold) for gold in question.answers],
            metadata={
                "source": question.source,
                "history": history_id(question.split, question.row),
                "row": question.row,
                "question_index": question.question_index,
                "question_type": question.question_type,
            },
        )
        for row in histories.rows.values()
        for question in row.flatten()
    ]


def _solver(histories: Histories) -> Solver:
    async def solve(state: TaskState, generate: Generate) -> TaskState:
        row, index = state.metadata["row"], state.metadata["question_index"]
        sample, seconds, calls = await histories.ask(row, index, state.epoch)
        state.output = model_output(
            str(state.model), sample.prediction or "", sample.input_tokens, sample.output_tokens
        )
        state.messages.append(state.output.message)
        state.metadata |= {
            "hit_rank": sample.hit_rank,
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


def _score(state: TaskState, target: Target, data: str | None) -> AnswerScore:
    sources, catalogue = _open(data) if data else (_SOURCES, None)
    source = find_source(state.metadata["source"], sources)
    family = family_of(source)
    if stored := state.metadata.get("scores"):
        rules = {family.metric: stored["rule"]}
        return AnswerScore(family.metric, stored["official"], stored["corrected"], rules)
    answer = None if state.metadata.get("error") else state.output.completion
    entities = catalogue() if catalogue and family.needs_entities else None
    kind = state.metadata.get("question_type")
    return score_answer(source, answer, list(target), state.input_text, entities, kind)


def _scorer(name: str, result_of: Callable[[AnswerScore], tuple[float | None, str | None]]) -> Any:
    """Return a scorer that is registered under a name; its results have a value and a rule."""

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
    """Return the standard error clustered by history; it is unknown with a single history."""
    clustered = stderr(cluster="history")

    def of(scores: list[SampleScore]) -> float:
        histories = {(score.sample_metadata or {}).get("history") for score in scores}
        return float(clustered(scores)) if len(histories) > 1 else float("nan")

    return of


@cache
def _open(data: str) -> tuple[Mapping[str, Source], Callable[[], Catalogue | None]]:
    dataset = load(data)
    return dataset.sources, cache(lambda: catalogue_of(dataset, None))


_stderr = metric(name="stderr")(_clustered_stderr)
official = _scorer("official", lambda score: (score.reported, None))
corrected = _scorer(
    "corrected", lambda score: (score.reported_corrected, score.rules.get(score.metric))
)
TASKS = {name: task(name=plain_name(name))(_task_of(name)) for name in _SOURCES} | {
    _OWN: task(name=_OWN)(_task_of(None))
}
