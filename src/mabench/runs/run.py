"""Running an agent from Python: once, or several times."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

from mabench.loading import Declared, load
from mabench.progress import Progress
from mabench.results import Run
from mabench.runs.execution import execute
from mabench.runs.folder import repeat_folders
from mabench.runs.opening import default_agent
from mabench.specs import AgentSpec, DataSpec, InjectionSpec, Limits, ModelSpec, RunSpec

_T = TypeVar("_T", AgentSpec, DataSpec)


def run(
    agent: str | Callable[..., object] | AgentSpec | None = None,
    data: object | DataSpec = "synthetic:small",
    *,
    sources: str | Collection[str] | Declared | None = None,
    rows: Collection[int] | None = None,
    limit_questions: int | None = None,
    protocol: str | InjectionSpec = "structured",
    settings: Mapping[str, object] | None = None,
    model: str | ModelSpec | None = None,
    out: str | Path | None = None,
    retry_errors: bool = False,
    fresh: bool = False,
    max_cost: float | None = None,
    limits: Limits | None = None,
    executor: str = "local",
    progress: Progress | None = None,
) -> Run:
    """Run an agent over a data set and keep everything in a run folder.

    A run that was stopped is resumed: answered questions are kept, and a row with open questions
    is memorized again unless the agent could save its memory.

    Less common settings are in the parts, each of which replaces a name: ``AgentSpec`` (``python``,
    ``env``, ``mcp_map``, ``keep_memories``, ``meter``), ``DataSpec`` (``entities``, ``offline``),
    ``InjectionSpec`` (``chunk_tokens``, ``prompts``), ``ModelSpec`` (``base_url``, ``prices``,
    ``cache``, ``replay``) and ``Limits``.

    Args:
        agent: the name of an agent, a class or function that makes one, or an ``AgentSpec``; when
            None, ``floor``, or ``bm25`` on data with sources of your own.
        data: what ``mabench.load`` takes, a data set that it returned, or a ``DataSpec``.
        sources: the name or names of the sources to run; all when None. A mapping declares
            sources of your own, as ``mabench.load`` takes them, and runs all.
        rows: the rows to run, by their number within the split, from 0; all when None.
        limit_questions: how many questions of each row are asked; all when None.
        protocol: ``structured``, ``turns``, ``paper`` or ``repository``; ``paper-unmarked`` and
            ``repository-unmarked`` take out what the benchmark leaks. Or an ``InjectionSpec``.
        settings: keyword arguments for what makes the agent; they become part of its name.
        model: the language model that reads, such as ``openai/NAME``, or a ``ModelSpec``.
        out: the run folder. If it holds a run, that run is resumed, or extended if there is more to
            ask. When None, a folder under ``runs``: that of the unfinished run with these settings
            and this code of the agent if there is one, else a new one.
        retry_errors: ask failed questions again.
        fresh: start over in a folder that holds this run; its old answers move to a folder inside
            it, such as ``set-aside-1``. Needed once the agent's code has changed.
        max_cost: how many US dollars the run may spend; it then stops and can be resumed.
        limits: how much happens at a time, how long it may take, how many errors stop the run.
        executor: ``local``, ``processes`` (all cores of this machine) or ``ray`` (a cluster).
        progress: an object that shows how the run proceeds.

    Returns:
        The run, with its scores in ``summary``. Errors of the agent do not end a run: they are
        kept with the questions, which count as wrong.

    Raises:
        MabenchError: when there is no such agent or data, a setting is wrong, the folder holds
            another run, or a limit stopped the run.
        KeyboardInterrupt: when a signal stopped the run; what was answered is kept.
    """
    rows_of = data if isinstance(data, DataSpec) else DataSpec(data=data)
    if isinstance(sources, Mapping):
        opened = load(rows_of.data, offline=rows_of.offline, sources=sources)
        rows_of, sources = replace(rows_of, data=opened), None
    names = (sources,) if isinstance(sources, str) else sources
    agent = agent or default_agent(rows_of)
    spec = RunSpec(
        agent=_with(
            agent if isinstance(agent, AgentSpec) else AgentSpec(agent=agent),
            settings=None if settings is None else dict(settings),
            model=ModelSpec(model) if isinstance(model, str) else model,
        ),
        data=_with(
            rows_of,
            sources=None if names is None else tuple(names),
            rows=None if rows is None else tuple(rows),
            limit_questions=limit_questions,
        ),
        injection=(
            protocol if isinstance(protocol, InjectionSpec) else InjectionSpec(protocol=protocol)
        ),
        limits=limits or Limits(),
        max_cost=max_cost,
        executor=executor,
        out=None if out is None else Path(out),
        retry_errors=retry_errors,
        fresh=fresh,
    )
    return execute(spec, progress)


def _with(part: _T, **values: Any) -> _T:
    return replace(part, **{name: value for name, value in values.items() if value is not None})


def run_repeatedly(spec: RunSpec, times: int, progress: Progress | None = None) -> list[Run]:
    """Run ``times`` times, each in a folder of its own under ``spec.out``; what is done stays.

    A single run has ``spec.out`` itself. Without that, the folder is one under ``runs``, for
    several runs as for one: that of unfinished runs with these settings, else a new one.
    """
    first = execute(spec, progress, repeats=times)
    others = repeat_folders(first.folder.parent, times)[1:]
    again = (replace(spec, out=folder, fresh=False) for folder in others)
    return [first, *(execute(other, progress) for other in again)]
