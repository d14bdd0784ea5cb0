"""Running an agent over a data set: the one entrance for Python and the command line."""

from __future__ import annotations

import asyncio
import re
from collections import Counter
from collections.abc import Callable, Collection, Coroutine, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from itertools import chain, count
from pathlib import Path
from typing import Any

from mabench.agents import resolve
from mabench.dataset import Dataset, Row
from mabench.errors import DataError, UsageError
from mabench.loading import catalogue_of, load
from mabench.metrics import Catalogue
from mabench.protocols import protocol_named
from mabench.runs.engine import Examination, Watch, examine
from mabench.runs.sample import Sample
from mabench.runs.settings import Settings
from mabench.runs.store import RunFolder
from mabench.runs.summary import summarize
from mabench.sources import family_of, load_prompts

DEFAULT_AGENT = "bm25"
DEFAULT_DATA = "synthetic:small"
DEFAULT_PROTOCOL = "structured"
DEFAULT_PARENT = Path("runs")


class Run:
    """A run in its folder.

    Attributes:
        folder: where it is kept.
        summary: its scores, as in ``summary.json`` (see ``summarize``).
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @cached_property
    def summary(self) -> dict[str, Any]:
        """The scores, derived from the stored samples."""
        return summarize(RunFolder(self.folder))

    @cached_property
    def settings(self) -> dict[str, Any]:
        """What the run is, as in ``run.json``."""
        return RunFolder(self.folder).settings()

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
    offline: bool = False,
    watch: Watch | None = None,
) -> Run:
    """Examine an agent and keep everything in a run folder.

    A run that was stopped goes on where it stood: answered questions are kept, and a row with
    open questions is memorized again.

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
        offline: never touch the network.
        watch: told how the run goes.

    Raises:
        UsageError: when an argument is wrong, or ``out`` holds a run with other settings.
        DataError: when data cannot be read or the run folder cannot be written.
    """
    if chunk_tokens is not None and chunk_tokens < 1:
        raise UsageError(f"chunk-tokens must be at least 1, not {chunk_tokens}")
    spec, injection = resolve(agent, settings=settings), protocol_named(protocol)
    wording = load_prompts(Path(prompts) if prompts else None)
    dataset = load(data, offline=offline)
    questions = _questions_by_source(dataset, sources)
    catalogue = catalogue_for(questions, dataset, entities)
    planned = Settings(
        spec.name, _described(dataset), questions, protocol, chunk_tokens, wording.hash
    )
    folder = _begin(planned, Path(out) if out else None)
    examination = Examination(
        spec, injection, wording, chunk_tokens, catalogue, offline, folder, watch or _Unwatched()
    )
    try:
        _finish(examine(examination, dataset, sources))
    finally:
        folder.write_summary(summarize(folder))
    return Run(folder.path)


def _described(dataset: Dataset) -> dict[str, Any]:
    """Return what a run records of its data set."""
    return {
        "name": dataset.name,
        "location": dataset.location,
        "fingerprint": dataset.fingerprint,
        "revision": dataset.revision,
    }


def catalogue_for(
    sources: Iterable[str], dataset: Dataset | None, entities: str | Path | None
) -> Catalogue | None:
    """Prepare the titles for recommendation rows, if there are any and the entities are known."""
    if any(family_of(source).needs_entities for source in sources):
        return catalogue_of(dataset, entities)
    return None


def _questions_by_source(dataset: Dataset, sources: Collection[str] | None) -> dict[str, int]:
    counts: Counter[str] = Counter()
    for row in dataset.rows(sources):
        counts[row.source] += len(row.questions)
    if not counts:
        wanted = f" of {', '.join(sources)}" if sources else ""
        raise DataError(f"{dataset.name}: no rows{wanted}; `mabench data show` lists what it holds")
    return dict(counts)


def _begin(settings: Settings, out: Path | None) -> RunFolder:
    """Open the folder of the run, made or found."""
    folder = RunFolder(out or _default_folder(settings))
    if folder.exists():
        settings.refuse_if_other(folder.settings(), folder.path)
        folder.repair()
    else:
        folder.create(settings.as_record())
    return folder


def _default_folder(settings: Settings) -> Path:
    """Return the first folder that is free, or holds these settings' unfinished run."""
    parts = (settings.agent, str(settings.data["name"]), settings.protocol)
    stem = re.sub(r"[^A-Za-z0-9.]+", "-", "-".join(parts)).strip("-.")
    names = chain([stem], (f"{stem}-{number}" for number in count(2)))
    return next(
        DEFAULT_PARENT / name
        for name in names
        if _is_free(RunFolder(DEFAULT_PARENT / name), settings)
    )


def _is_free(folder: RunFolder, settings: Settings) -> bool:
    """Whether a run with these settings may begin or go on in a folder of ours."""
    if not folder.exists():
        return True
    record = folder.settings()
    unfinished = sum(1 for _ in folder.samples()) < sum(record["questions"].values())
    return unfinished and settings.equals(record)


def _finish(work: Coroutine[Any, Any, None]) -> None:
    """Run to the end, also where an event loop is already running (a notebook)."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        asyncio.run(work)
        return
    with ThreadPoolExecutor(max_workers=1) as pool:
        pool.submit(asyncio.run, work).result()


class _Unwatched:
    """Shows nothing."""

    def run_started(self, folder: Path, questions: int, answered: int) -> None:
        pass

    def row_started(self, row: Row, chunks: int) -> None:
        pass

    def chunk_memorized(self) -> None:
        pass

    def question_done(self, sample: Sample) -> None:
        pass
