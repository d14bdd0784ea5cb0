"""A run as its rows see it: what it is, where results go, and how calls of models are counted."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, Literal, Protocol

from mabench.data import Source
from mabench.errors import DataError, UsageError
from mabench.families import Prompts
from mabench.lookup import AgentFactory
from mabench.metering import Meter
from mabench.models import (
    Call,
    CallLog,
    CallPhase,
    ModelAddress,
    ReadingModel,
    ResponseCache,
    Road,
    load_prices,
)
from mabench.progress import NoProgress, Progress
from mabench.results import CallRecord, MemoryRecord, Sample, TakesRecord, Timing
from mabench.scoring import Catalogue
from mabench.specs import RunSpec
from mabench.tasks.stopping import Stop

_OF_A_SERVER = "openai/"


class _Store(Protocol):
    """Where the results of a row go; memories can be saved below its ``path``."""

    @property
    def path(self) -> Path: ...
    def append_sample(self, sample: Sample, timing: Timing, prompt: str | None = None) -> None: ...
    def append_timing(self, timing: Timing) -> None: ...  # Of a question without a sample.
    def append_memory(self, memory: MemoryRecord) -> None: ...
    def append_call(self, call: CallRecord) -> None: ...  # From any thread.
    def note_takes(self, takes: TakesRecord) -> None: ...  # What the agent takes beside texts.


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
    agent_made: threading.Event = field(default_factory=threading.Event)  # Set by the first.

    def metering(self) -> AbstractContextManager[RunContext]:
        """Return this with a meter, where memories can be told of its address; else as it is.

        Raises:
            MissingPackageError: when aiohttp is not installed.
            UsageError: when a server was named whose calls cannot be metered, or replies are
                replayed for a memory that calls a server past the meter.
            DataError: when kept replies cannot be read.
        """
        spec, agent, model = self.spec.agent, self.agent, self.model
        if spec.replayed and not agent.takes_address:
            for name, value in spec.settings.items():
                if isinstance(value, str) and value.startswith(_OF_A_SERVER):
                    raise UsageError(
                        f"{name}={value} bypasses the meter, so its replies are not cached and "
                        "cannot be replayed; give the folder of a model, or run the memory with "
                        "`python`",
                        parameter="replay",
                    )
        address = None  # Of the server of the models that memories call, with the real key.
        if spec.meter is not None:
            on_server = spec.model.name_on_server if spec.model else None
            address = ModelAddress.find(on_server, spec.meter)
            if not agent.takes_address:
                raise UsageError(
                    f"{agent.name} cannot be told where to call a model; `meter` is for programs "
                    "and servers on this machine and for interpreters (`python`), and in this "
                    "process `model` for what takes an argument of that name",
                    parameter="meter",
                )
        elif model is not None and spec.model is not None and spec.model.speaks_openai:
            address = model.address()
        if address is None or not agent.takes_address:
            return nullcontext(self)
        cache = None
        if spec.replayed or spec.keeps_calls:
            cache = ResponseCache(spec.replayed, reads_only=spec.replayed is not None)
        prices = load_prices(spec.model.prices if spec.model else spec.prices)
        retry = spec.model.retry if spec.model else None
        road = Road(model.road if model else None, retry, "the server that the memory calls")
        return self._with(Meter(address, prices, road, cache, self.stop.ask))

    @contextmanager
    def _with(self, meter: Meter) -> Iterator[RunContext]:
        with meter:
            yield replace(self, meter=meter)


class RowCalls:
    """The model calls of one row, by its memory and by the reader, on their way to the run folder.

    Attributes:
        endpoint: where the row's memory calls its model; None without a meter.
        missing: which reply would have to be kept and is not, in words.
    """

    def __init__(self, context: RunContext, split: str, row: int, source: str) -> None:
        self.missing: str | None = None
        self._run = context
        self._place: dict[str, Any] = {"split": split, "row": row, "source": source}
        self.endpoint = None
        if context.meter is not None:
            self.endpoint = context.meter.endpoint(partial(self._store, "memory"), self._miss)

    def log(self, phase: CallPhase) -> CallLog:
        """Return what is told of the reader's calls."""
        return CallLog(partial(self._store, "reader"), phase)

    def place(self, phase: CallPhase) -> str:
        """Return in words where a call was made."""
        place = phase.name if phase.question is None else f"question {phase.question}"
        return f"{self._place['source']}, row {self._place['row']}, {place}"

    def _miss(self, what: str) -> None:  # In the thread of the meter.
        phase = self.endpoint.phase if self.endpoint else CallPhase("late")
        self.missing = self.missing or f"{self.place(phase)}: {what}"
        self._run.stop.ask(self.missing)

    def _store(self, by: Literal["memory", "reader"], call: Call) -> None:
        try:
            self._run.store.append_call(CallRecord.of(by, call, **self._place))
        except DataError as error:
            self._run.stop.ask(str(error))
