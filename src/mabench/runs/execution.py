"""Carrying out a run: from its description to a folder that holds its results."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import Callable, Collection, Mapping
from concurrent import futures
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path

from mabench.data import Dataset
from mabench.errors import MabenchError
from mabench.families import Prompts
from mabench.loading import Declared, catalogue_of, load
from mabench.models import load_prices
from mabench.models.local import share_servers
from mabench.printable import write_count
from mabench.progress import NoProgress, Progress
from mabench.results import Run, RunFolder, RunRecord
from mabench.runs.context import RunContext, RunInputs
from mabench.runs.elsewhere import row_backend
from mabench.runs.engine import RowBackend, run_rows
from mabench.runs.folders.names import name_repeats
from mabench.runs.folders.owning import own_folder
from mabench.runs.folders.record import make_record, name_builder
from mabench.runs.opening import (
    default_agent,
    default_protocol,
    load_run_prompts,
    open_agent,
)
from mabench.runs.selection import AskedSources, find_asked
from mabench.runs.storing.store import CountingStore
from mabench.specs import AgentSpec, DataSpec, InjectionSpec, Limits, ModelSpec, RunSpec
from mabench.specs.arguments import (
    make_agent_spec,
    make_data_spec,
)
from mabench.tasks.interrupt import RunInterrupt
from mabench.tasks.leftover_processes import name_leftovers
from mabench.tasks.stopping import Stop


def run(
    agent: str | Callable[..., object] | AgentSpec | None = None,
    data: object | DataSpec = "synthetic:start",
    *,
    sources: str | Collection[str] | Declared | None = None,
    rows: Collection[int] | None = None,
    limit_questions: int | None = None,
    protocol: str | InjectionSpec | None = None,
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
        protocol: by default ``structured``, but ``turns`` for conversations of your own that were
            imported; also ``paper`` or ``repository``; ``paper-unmarked`` and
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
    selected = make_data_spec(
        data,
        sources=None if isinstance(sources, Mapping) else sources,
        rows=rows,
        limit_questions=limit_questions,
    )
    if isinstance(sources, Mapping):
        selected = _declare_sources(selected, sources)
    agent = agent or default_agent(selected)
    injection = protocol or default_protocol(selected)
    if not isinstance(injection, InjectionSpec):
        injection = InjectionSpec(protocol=injection)
    spec = RunSpec(
        agent=make_agent_spec(agent, settings, model),
        data=selected,
        injection=injection,
        limits=limits or Limits(),
        max_cost=max_cost,
        executor=executor,
        out=None if out is None else Path(out),
        retry_errors=retry_errors,
        fresh=fresh,
    )
    return execute(spec, progress)


def _declare_sources(data: DataSpec, sources: Declared) -> DataSpec:
    """Return data opened with sources of its own."""
    return replace(data, data=load(data.data, offline=data.offline, sources=sources))


def run_repeatedly(spec: RunSpec, times: int, progress: Progress | None = None) -> list[Run]:
    """Run ``times`` times, each in a folder of its own under ``spec.out``; what is done stays.

    A single run has ``spec.out`` itself. Without that, the folder is one under ``runs``, for
    several runs as for one: that of unfinished runs with these settings, else a new one.
    """
    first = execute(spec, progress, repeats=times)
    others = name_repeats(first.folder.parent, times)[1:]
    again = (replace(spec, out=folder, fresh=False) for folder in others)
    return [first, *(execute(other, progress) for other in again)]


class RunStoppedError(MabenchError):
    """A run was stopped before its end, by errors, its cost or an outage, and can be resumed.

    ``by_cost``: resume with a higher limit. ``not_kept``: a replayed run lacked a stored reply.
    """

    def __init__(self, run: Run, stop: Stop) -> None:
        condition = ""
        if stop.by_cost:
            condition = " and a higher `max_cost`"
        if stop.not_kept:
            condition = ", once the reply is kept there, or with `cache` in place of `replay`,"
        super().__init__(
            f"the run stopped: {stop.reason}; the same run with `out` {run.folder}{condition} "
            "resumes it, with `retry_errors` it repeats failed questions"
        )
        self.reason, self.run, self.folder = stop.reason or "", run, run.folder
        self.by_cost, self.not_kept = stop.by_cost, stop.not_kept


def execute(spec: RunSpec, progress: Progress | None = None, *, repeats: int = 1) -> Run:
    """Run an agent over a data set and keep everything in a run folder, as ``run`` does.

    ``repeats`` says how often it is run in all; of several, this is the first.

    Raises:
        UsageError: when the spec is wrong, or its folder holds another run or is being written.
        DataError: when data cannot be read or the run folder cannot be written.
        MissingPackageError: when an agent or a model takes a package that is not installed.
        ModelUnavailableError: when the model's server is not there, or refuses key or model;
            no answer is stored then, and no new folder stays.
        RunStoppedError: when errors, the cost or an outage stopped the run.
        RunInterrupt: when a signal did; what was answered is kept.
    """
    progress = progress or NoProgress()
    agent, model = open_agent(spec)
    with row_backend(spec) as place:
        dataset = load(spec.data.data, offline=spec.data.offline)
        if place.make_rows and dataset.makers:
            dataset.survey(place.make_rows(dataset.makers))
        prompts = load_run_prompts(spec, dataset.sources)
        asked = find_asked(spec.data, dataset)
        record = make_record(spec, agent.name, dataset, asked, prompts)
        record = replace(record, deterministic=agent.is_deterministic or None)
        inputs = _gather_inputs(spec, dataset, record, asked, prompts)
        with own_folder(spec, record, progress, repeats) as folder:
            stop = Stop()
            store = CountingStore(spec, folder, stop, progress)
            context = RunContext(
                spec=spec,
                agent=agent,
                model=model,
                inputs=inputs,
                store=store,
                progress=progress,
                stop=stop,
            )
            run = _run_in(folder, store, context, dataset, place)
    if stop.by_signal:
        raise RunInterrupt(run.folder, stop.signal)
    if stop.reason:
        raise RunStoppedError(run, stop)
    return run


def _gather_inputs(
    spec: RunSpec, dataset: Dataset, record: RunRecord, asked: AskedSources, prompts: Prompts
) -> RunInputs:
    """Return what every row of the run needs beside its own data."""
    # Only memories that stay are found by what built them.
    builder = name_builder(spec, record) if spec.agent.keep_memories else ""
    # Other machines of a cluster serve their models themselves.
    servers = {} if spec.limits.ray_address else share_servers()
    return RunInputs(
        prompts=prompts,
        catalogue=catalogue_of(dataset, spec.data.entities, asked.families),
        sources=dataset.sources,
        prices=load_prices(spec.agent.replies.prices),
        builder=builder,
        servers=servers,
        titles=record.data.titles or {},
    )


def describe_run(spec: RunSpec) -> RunRecord:
    """Return what a run would be, as its folder would keep it; nothing is run for that.

    Raises:
        MabenchError: as ``execute`` does before anything is asked.
    """
    agent, _ = open_agent(spec)
    dataset = load(spec.data.data, offline=spec.data.offline)
    prompts = load_run_prompts(spec, dataset.sources)
    return make_record(spec, agent.name, dataset, find_asked(spec.data, dataset), prompts)


def _run_in(
    folder: RunFolder,
    store: CountingStore,
    context: RunContext,
    dataset: Dataset,
    place: RowBackend,
) -> Run:
    """Ask what is left to ask, and return the run with its summary, whatever ended it."""
    spec, stop = context.spec, context.stop
    record = folder.record()
    expected = sum(record.questions.values())
    asks_something = spec.retry_errors or len(store.done) < expected
    # Rows in other processes have meters of their own.
    metering = context.metering() if spec.executor == "local" else nullcontext(context)
    with metering as metered:
        for why in record.code.unknown if record.code else ():
            context.progress.say(f"{context.agent.name}: its code is unknown: {why}.")
        for line in store.repaired:
            context.progress.say(f"{folder.path}: {line}")
        work = run_rows(metered, store, record, dataset, place)
        remedy = RunInterrupt.REMEDY.format(folder.path)
        if spec.command:
            remedy = f"To resume: {spec.command}"
        gc.freeze()  # To look at all that is there by now for garbage would hold up every answer.
        try:
            with name_leftovers(context.progress), stop.after(spec.limits.max_minutes):
                stop.run(work, context.progress, remedy)
        except (asyncio.CancelledError, futures.CancelledError):
            stop.ask("its work was cancelled")
        finally:
            if metered.meter is not None:
                metered.meter.close()  # A call that comes now would not be in the summary.
            run = store.summarize()
            gc.unfreeze()
    asked = run.summary.spent.n
    if not stop.reason and asked < expected:
        stop.ask(f"not asked: {expected - asked} of {write_count(expected, 'question')}")
    if asks_something:
        folder.end(complete=asked >= expected)
    return run
