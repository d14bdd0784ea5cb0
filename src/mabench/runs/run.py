"""Running an agent over a data set: the one entrance for Python and the command line."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from concurrent import futures
from contextlib import AbstractContextManager, nullcontext
from functools import cached_property
from itertools import chain, count
from pathlib import Path

from mabench.cache import cache_folder
from mabench.data import Dataset, Question, Row
from mabench.errors import MabenchError, UsageError
from mabench.families import family_of, load_prompts
from mabench.injection import protocol_named
from mabench.loading import catalogue_of, load
from mabench.lookup import resolve
from mabench.models import ModelChoice, make_model
from mabench.runs.engine.context import Limits, RunContext, RunObserver, SilentObserver
from mabench.runs.engine.engine import Executor, examine
from mabench.runs.engine.loops import run_to_end
from mabench.runs.engine.ray import Job, connected
from mabench.runs.records.lock import owned
from mabench.runs.records.record import DataRecord, ModelRecord, RunRecord
from mabench.runs.records.sample import Sample
from mabench.runs.records.store import RunFolder
from mabench.runs.results.summaries import RunSummary
from mabench.runs.results.summary import summarize
from mabench.runs.selection import Selection, questions_by_source
from mabench.scoring import Catalogue

DEFAULT_AGENT = "floor"
DEFAULT_DATA = "synthetic:small"
DEFAULT_PROTOCOL = "structured"
DEFAULT_PARENT = Path("runs")


class Run:
    """A run in its folder.

    Attributes:
        folder: where it is kept.
        summary: its scores, as in ``summary.json``.
        record: what it is, as in ``run.json``.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @cached_property
    def summary(self) -> RunSummary:
        """The scores, derived from the stored samples."""
        return summarize(RunFolder(self.folder))

    @cached_property
    def record(self) -> RunRecord:
        """What the run is, as in ``run.json``."""
        return RunFolder(self.folder).record()

    def samples(self) -> Iterator[Sample]:
        """Yield what was asked and answered."""
        return RunFolder(self.folder).samples()


def run(
    agent: str | Callable[[], object] = DEFAULT_AGENT,
    data: object = DEFAULT_DATA,
    *,
    sources: Collection[str] | None = None,
    protocol: str = DEFAULT_PROTOCOL,
    out: str | Path | None = None,
    chunk_tokens: int | None = None,
    prompts: str | Path | None = None,
    entities: str | Path | None = None,
    settings: Mapping[str, object] | None = None,
    python: str | Path | None = None,
    mcp_map: str | Path | None = None,
    offline: bool = False,
    rows: Collection[int] | None = None,
    limit_questions: int | None = None,
    retry_errors: bool = False,
    keep_memories: bool = False,
    model: str | ModelChoice | None = None,
    max_cost: float | None = None,
    pace: Limits | None = None,
    executor: str = "local",
    ray_address: str | None = None,
    watch: RunObserver | None = None,
) -> Run:
    """Examine an agent and keep everything in a run folder.

    A run that was stopped goes on where it stood: answered questions are kept, and a row with
    open questions is memorized again unless the agent could save its memory.

    Args:
        agent: the name of an agent, or a class or function that makes one.
        data: what ``mabench.load`` takes.
        sources: the sources to run; all when None.
        protocol: ``structured``, ``paper`` or ``repository``.
        out: the run folder. When None, a folder under ``runs``: that of the unfinished run with
            these settings if there is one, else a new one.
        chunk_tokens: size of a chunk, instead of the protocol's.
        prompts: a TOML file of prompts by family and role that replace ours.
        entities: ``entity2id.json``, for recommendation rows; else the data set's own.
        settings: keyword arguments for what makes the agent; they become part of its name.
        python: the interpreter in which the agent lives, in a process of its own for each row.
        mcp_map: how the tools of an MCP server are used: a TOML file or a shipped name.
        offline: never touch the network.
        rows: the rows to run, by their index within the split; all when None.
        limit_questions: how many questions of each row are asked; all when None.
        retry_errors: ask again what failed before.
        keep_memories: keep the memories of agents that can save them, for later runs.
        model: the language model that reads, by name or with all that it is asked with.
        max_cost: US dollars for which the run may ask; it then stops and can go on.
        pace: how much happens at a time, how long it may take, how many errors stop the run.
        executor: ``local``, or ``ray`` to examine each row in a Ray task.
        ray_address: the Ray cluster; one on this machine when None.
        watch: told how the run goes.

    Raises:
        UsageError: when an argument is wrong, ``out`` holds a run with other settings, or
            another process is writing there.
        DataError: when data cannot be read or the run folder cannot be written.
        RunStoppedError: when there were too many errors, or the money is spent.
        MissingPackageError: when an agent or a model takes a package that is not installed.
        KeyboardInterrupt: when a signal stopped the run; what was answered is kept.
    """
    for name, number in (("chunk-tokens", chunk_tokens), ("limit-questions", limit_questions)):
        if number is not None and number < 1:
            raise UsageError(f"{name} must be at least 1, not {number}")
    choice = ModelChoice(model) if isinstance(model, str) else model
    reads = make_model(choice) if choice else None
    spec = resolve(agent, reads, settings=settings, python=python, mcp_map=mcp_map)
    injection = protocol_named(protocol)
    wording = load_prompts(Path(prompts) if prompts else None)
    dataset = load(data, offline=offline)
    selection = Selection(sources, rows, limit_questions)
    questions = questions_by_source(dataset, selection)
    planned = RunRecord(
        agent=spec.name,
        data=_data_record(dataset),
        questions=questions,
        protocol=protocol,
        chunk_tokens=chunk_tokens,
        prompts=wording.hash,
        model=_model_record(choice) if choice else None,
        rows=None if rows is None else tuple(sorted(rows)),
        limit_questions=limit_questions,
        gold_shown=spec.name == "oracle",
    )
    folder = _begin(planned, Path(out) if out else None)
    examination = RunContext(
        spec,
        injection,
        wording,
        chunk_tokens,
        catalogue_for(questions, dataset, entities),
        offline,
        folder,
        watch or SilentObserver(),
        kept=cache_folder() / "memories" if keep_memories else None,
        pace=(pace or Limits()).checked(),
        model=reads,
        max_cost=max_cost,
    )
    job = Job(
        agent,
        settings,
        python,
        mcp_map,
        choice,
        protocol,
        wording.templates,
        chunk_tokens,
        offline,
        examination.kept,
        examination.pace,
        dataset.location,
        str(Path.cwd()),
    )
    with owned(folder.path):
        folder.repair()
        if retry_errors:
            folder.replace_samples(s for s in list(folder.samples()) if s.error is None)
        elsewhere = _executor(executor, ray_address, examination, job)
        _carry_out(examination, folder, selection.of(dataset), elsewhere)
    return Run(folder.path)


def _carry_out(
    examination: RunContext,
    folder: RunFolder,
    work: Iterator[tuple[Row, list[Question]]],
    executor: AbstractContextManager[Executor | None],
) -> None:
    """Run to the end, or to where the run stops; the summary says how far it came."""
    stop = examination.stop
    try:
        with executor as carry_out:
            run_to_end(examine(examination, folder, work, carry_out))
    except (asyncio.CancelledError, futures.CancelledError):
        stop.ask("stopped by a signal")
    finally:
        folder.write_summary(summarize(folder))
    if stop.by_signal:
        raise KeyboardInterrupt
    if stop.reason:
        raise RunStoppedError(
            f"the run stopped: {stop.reason}; the same command with --out {folder.path} goes on, "
            "with --retry-errors it asks again what failed"
        )


def _executor(
    name: str, address: str | None, examination: RunContext, job: Job
) -> AbstractContextManager[Executor | None]:
    """Return where rows are examined."""
    if name == "local":
        return nullcontext()
    if name == "ray":
        return connected(job, examination, address)
    raise UsageError(f"no executor is named {name!r}; there are local and ray")


def _data_record(dataset: Dataset) -> DataRecord:
    return DataRecord(
        name=dataset.name,
        location=dataset.location,
        fingerprint=dataset.fingerprint,
        revision=dataset.revision,
    )


def _model_record(choice: ModelChoice) -> ModelRecord:
    return ModelRecord(name=choice.name, temperature=choice.temperature, seed=choice.seed)


def catalogue_for(
    sources: Iterable[str], dataset: Dataset | None, entities: str | Path | None
) -> Catalogue | None:
    """Prepare the titles for recommendation rows, if there are any and the entities are known."""
    if any(family_of(source).needs_entities for source in sources):
        return catalogue_of(dataset, entities)
    return None


def _begin(record: RunRecord, out: Path | None) -> RunFolder:
    """Open the folder of the run, made or found."""
    folder = RunFolder(out or _default_folder(record))
    if not folder.exists():
        folder.create(record.with_versions())
        return folder
    for difference in record.differences(folder.record()):
        raise UsageError(
            f"{folder.path} holds another run: {difference}; give another `out`", parameter="out"
        )
    return folder


def _default_folder(record: RunRecord) -> Path:
    """Return the first folder that is free, or holds this run unfinished."""
    model = record.model.name if record.model else ""
    parts = (record.agent, model, record.data.name, record.protocol)
    stem = re.sub(r"[^A-Za-z0-9.]+", "-", "-".join(filter(None, parts))).strip("-.")
    names = chain([stem], (f"{stem}-{number}" for number in count(2)))
    return next(
        DEFAULT_PARENT / name
        for name in names
        if _is_free(RunFolder(DEFAULT_PARENT / name), record)
    )


def _is_free(folder: RunFolder, record: RunRecord) -> bool:
    """Whether a run may begin or be resumed in a folder of ours."""
    if not folder.exists():
        return True
    there = folder.record()
    unfinished = sum(1 for _ in folder.samples()) < sum(there.questions.values())
    return unfinished and not record.differences(there)


class RunStoppedError(MabenchError):
    """A run was stopped before its end, and can go on."""
