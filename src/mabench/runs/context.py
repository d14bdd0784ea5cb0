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
from mabench.results import CallRecord, MemoryRecord, Sample, Timing
from mabench.scoring import Catalogue
from mabench.specs import RunSpec
from mabench.tasks.stopping import Stop


class _Store(Protocol):
    """Where the results of a row go; memories can be saved below its ``path``."""

    @property
    def path(self) -> Path: ...
    def append_sample(self, sample: Sample, timing: Timing, prompt: str | None = None) -> None: ...
    def append_timing(self, timing: Timing) -> None: ...  # Of a question without a sample.
    def append_memory(self, memory: MemoryRecord) -> None: ...
    def append_call(self, call: CallRecord) -> None: ...  # From any thread.


class _Spending:
    """What the memories' own calls cost in this sitting; from any thread."""

    def __init__(self) -> None:
        self.dollars = 0.0
        self.listener: Callable[[CallRecord], object] = lambda call: None  # Told of each.
        self._lock = threading.Lock()

    def add(self, call: CallRecord) -> None:
        """Count a call of a memory that has ended; the reader's stand on the bills of answers."""
        if call.by == "memory" and call.ended:
            with self._lock:
                self.dollars += call.cost or 0.0
            self.listener(call)


@dataclass(frozen=True, slots=True)
class RunInputs:
    """What a run reads once, and every process then needs."""

    prompts: Prompts
    catalogue: Catalogue | None  # None where the entity file is not known.
    sources: Mapping[str, Source]
    builder: str  # Names what memories are built by: agent, settings, code and model.


@dataclass(frozen=True, kw_only=True)
class RunContext:
    """All that the engine needs to run one agent over a row."""

    spec: RunSpec
    agent: AgentFactory
    model: ReadingModel | None  # Which all agents share; it is closed at the end.
    inputs: RunInputs
    store: _Store
    progress: Progress = field(default_factory=NoProgress)
    stop: Stop = field(default_factory=Stop)
    meter: Meter | None = None  # None where no calls of memories can be counted.
    spending: _Spending = field(default_factory=_Spending)
    agent_made: threading.Event = field(default_factory=threading.Event)  # Set by the first.
