"""What the engine needs to know of a run, made once here and once in every other process."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from mabench.data import Source
from mabench.families import Prompts
from mabench.lookup import AgentFactory
from mabench.metering import Meter
from mabench.models import ReadingModel
from mabench.progress import NoProgress, Progress
from mabench.results.records.measurements import CallRecord, MemoryRecord, Timing
from mabench.results.records.sample import Sample
from mabench.scoring import Catalogue
from mabench.specs import RunSpec
from mabench.tasks.stopping import Stop


class _Store(Protocol):
    """Where the results of a row go.

    Attributes:
        path: a folder in which memories can be saved while the run is unfinished.
    """

    @property
    def path(self) -> Path:
        """The folder."""

    def append_sample(self, sample: Sample, timing: Timing, prompt: str | None = None) -> None:
        """Add a sample, what its answer took, and what a language model was shown."""

    def append_timing(self, timing: Timing) -> None:
        """Add what was paid for a question that has no sample yet."""

    def append_memory(self, memory: MemoryRecord) -> None:
        """Add what is known of how one row was memorized."""

    def append_call(self, call: CallRecord) -> None:
        """Add that a call of a model began, or how it ended; from any thread."""


class Spending:
    """What the memories' own calls cost in this sitting; from any thread.

    Attributes:
        dollars: so much so far.
        listener: told once it is more.
    """

    def __init__(self) -> None:
        self.dollars = 0.0
        self.listener: Callable[[CallRecord], object] = lambda call: None
        self._lock = threading.Lock()

    def add(self, call: CallRecord) -> None:
        """Count a call of a memory that has ended; the reader's stand on the bills of answers."""
        if call.by == "memory" and call.ended:
            with self._lock:
                self.dollars += call.cost or 0.0
            self.listener(call)


@dataclass(frozen=True, slots=True)
class RunInputs:
    """What a run reads once, and every process then needs.

    Attributes:
        prompts: the prompts of the run.
        catalogue: the titles of the recommendation rows, when the entity file is known.
        sources: the sources that rows may name, by name.
        builder: names all that the memories are built by: agent, settings, code and model.
    """

    prompts: Prompts
    catalogue: Catalogue | None
    sources: Mapping[str, Source]
    builder: str


@dataclass(frozen=True, kw_only=True)
class RunContext:
    """All that the engine needs to run one agent over a row.

    Attributes:
        model: the model that the agents share, closed at the end; None without one.
        meter: counts the calls that memories make by themselves; None where none can be counted.
        stop: once it is asked to stop, the engine begins nothing new.
        agent_made: set once an agent could be made.
    """

    spec: RunSpec
    agent: AgentFactory
    model: ReadingModel | None
    inputs: RunInputs
    store: _Store
    progress: Progress = field(default_factory=NoProgress)
    stop: Stop = field(default_factory=Stop)
    meter: Meter | None = None
    spending: Spending = field(default_factory=Spending)
    agent_made: threading.Event = field(default_factory=threading.Event)
