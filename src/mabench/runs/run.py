"""Running an agent from Python."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from pathlib import Path

from mabench.data import names_of
from mabench.loading import Declared, load
from mabench.models import ModelSpec
from mabench.progress import Progress
from mabench.runs.execution import execute
from mabench.runs.results.run import Run
from mabench.runs.spec import (
    AgentSpec,
    DataSpec,
    InjectionSpec,
    Limits,
    RunSpec,
    executor_named,
)


def run(
    agent: str | Callable[..., object] = "floor",
    data: object = "synthetic:small",
    *,
    sources: str | Collection[str] | Declared | None = None,
    protocol: str = "structured",
    out: str | Path | None = None,
    chunk_tokens: int | None = None,
    prompts: str | Path | None = None,
    entities: str | Path | None = None,
    settings: Mapping[str, object] | None = None,
    python: str | Path | None = None,
    mcp_map: str | Path | None = None,
    env: Collection[str] = (),
    offline: bool = False,
    rows: Collection[int] | None = None,
    limit_questions: int | None = None,
    retry_errors: bool = False,
    fresh: bool = False,
    keep_memories: bool = False,
    model: str | ModelSpec | None = None,
    meter: str | None = None,
    prices: str | Path | None = None,
    cache: bool | None = None,
    replay: str | Path | None = None,
    max_cost: float | None = None,
    limits: Limits | None = None,
    executor: str = "local",
    ray_address: str | None = None,
    progress: Progress | None = None,
) -> Run:
    """Run an agent over a data set and keep everything in a run folder.

    A run that was stopped is resumed: answered questions are kept, and a row with open questions
    is memorized again unless the agent could save its memory.

    Args:
        agent: the name of an agent, or a class or function that makes one.
        data: what ``mabench.load`` takes, or a data set that it returned.
        sources: the name or names of the sources to run; all when None. A mapping declares
            sources of your own, as ``mabench.load`` takes them, and runs all.
        protocol: ``structured``, ``paper`` or ``repository``; ``paper-unmarked`` and
            ``repository-unmarked`` take out what the benchmark leaks.
        out: the run folder. If it holds a run, that run is resumed, or extended when more is
            asked. When None, a folder under ``runs``: that of the unfinished run with these
            settings and this code of the agent if there is one, else a new one.
        chunk_tokens: the size of a chunk in tokens, instead of the protocol's.
        prompts: a TOML file of prompts by family and role that replace ours, or ``paper``.
        entities: the file ``entity2id.json``, for recommendation rows; else the data set's own.
        settings: keyword arguments for what makes the agent; they become part of its name.
        python: the interpreter in which the agent lives, in a process of its own for each row.
        mcp_map: how the tools of an MCP server are used: a TOML file or a shipped name.
        env: names of environment variables that are passed on to an agent in a process of its own,
            which sees few others; their values are not stored.
        offline: never use the network to open data.
        rows: the rows to run, by their number within the split, from 0; all when None.
        limit_questions: how many questions of each row are asked; all when None.
        retry_errors: ask again what failed before.
        fresh: run anew where the folder holds this run; its old answers are set aside in a folder
            within, such as ``set-aside-1``. It is needed once the agent's code has changed.
        keep_memories: keep the memories of agents that can save them, for later runs.
        model: the language model that reads, such as ``openai/NAME``, or a ``ModelSpec``.
        meter: the address of the server whose models the memory calls by itself, where it is not
            that of ``model``; those calls then pass through this process, which counts them.
        prices: a TOML file of prices by model, of ``model`` and of what the memory calls; else
            those of ``model``, else the shipped ones.
        cache: whether replies of models are kept, including those to the memory's own calls; when
            None, as ``model`` says.
        replay: a folder of kept replies; only these are used, and nothing is sent.
        max_cost: how many US dollars the run may spend; it then stops and can be resumed.
        limits: how much happens at a time, how long it may take, how many errors stop the run.
        executor: ``local``, ``processes`` for the cores of this machine, or ``ray``.
        ray_address: the address of a Ray cluster; this machine when None.
        progress: an object that is told how the run proceeds.

    Returns:
        The run, with its scores in ``summary``. Errors of the agent do not end a run: they are
        kept with the questions, which count as wrong.

    Raises:
        MabenchError: when there is no such agent or data, a setting is wrong, the folder holds
            another run, or a limit stopped the run.
        KeyboardInterrupt: when a signal stopped the run; what was answered is kept.
    """
    if isinstance(sources, Mapping):
        data, sources = load(data, offline=offline, sources=sources), None
    spec = RunSpec(
        agent=AgentSpec(
            agent=agent,
            settings=dict(settings or {}),
            python=python,
            mcp_map=mcp_map,
            env=(env,) if isinstance(env, str) else tuple(env),
            model=_model(model, prices, cache, Path(replay) if replay else None),
            meter=meter,
            prices=Path(prices) if prices else None,
            cache=cache,
            replay=Path(replay) if replay else None,
        ),
        data=DataSpec(
            data=data,
            sources=names_of(sources),
            rows=None if rows is None else tuple(rows),
            limit_questions=limit_questions,
            entities=entities,
            offline=offline,
        ),
        injection=InjectionSpec(protocol=protocol, chunk_tokens=chunk_tokens, prompts=prompts),
        limits=limits or Limits(),
        max_cost=max_cost,
        executor=executor_named(executor),
        ray_address=ray_address,
        out=None if out is None else Path(out),
        retry_errors=retry_errors,
        fresh=fresh,
        keep_memories=keep_memories,
    )
    return execute(spec, progress)


def _model(
    model: str | ModelSpec | None,
    prices: str | Path | None,
    cache: bool | None,
    replay: Path | None,
) -> ModelSpec | None:
    """Return the model that reads, with what is said of prices and kept replies beside it."""
    if model is None:
        return None
    spec = ModelSpec(model) if isinstance(model, str) else model
    return replace(
        spec,
        prices=Path(prices) if prices else spec.prices,
        cache=spec.cache if cache is None else cache,
        replay=replay or spec.replay,
    )
