"""What a run is made of, once it is opened: all that rows need, wherever they are run."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Protocol

from mabench.data import Source
from mabench.errors import UsageError
from mabench.families import Prompts
from mabench.lookup import AgentFactory
from mabench.metering import Meter
from mabench.models import ModelAddress, Price, ReadingModel, RequestGate, ResponseCache
from mabench.models.local import LocalModel, ServerAddress
from mabench.progress import NoProgress, Progress
from mabench.results import (
    CallRecord,
    MemoryRecord,
    Place,
    Sample,
    StageRecord,
    TakesRecord,
    Timing,
)
from mabench.scoring import Catalogue
from mabench.specs import RunSpec
from mabench.tasks.stopping import Stop


class SampleStore(Protocol):
    """Where the results of a row go; memories can be saved below its ``path``."""

    @property
    def path(self) -> Path:
        """The folder of the run."""

    def append_sample(self, sample: Sample, timing: Timing, prompt: str | None = None) -> None:
        """Store a sample, how long it took, and what a model was shown."""

    def append_timing(self, timing: Timing) -> None:
        """Store how long a question took that has no sample."""

    def append_memory(self, memory: MemoryRecord) -> None:
        """Store what is known of the memory of a row."""

    def append_stage(self, stage: StageRecord) -> None:
        """Store what was seen of the support of a question."""

    def answers_not_looked_at(self, place: Place) -> Sequence[Sample]:
        """Return the row's stored answers whose support was not looked for.

        A run that is stopped between the two leaves such answers.
        """

    def append_call(self, call: CallRecord) -> None:
        """Store a call of a model; from any thread."""

    def note_takes(self, takes: TakesRecord) -> None:
        """Note what the agent takes beside texts."""


@dataclass(frozen=True, slots=True)
class RunInputs:
    """What a run reads once, and every process then needs."""

    prompts: Prompts
    catalogue: Catalogue | None  # None if the entity file is not known.
    sources: Mapping[str, Source]
    prices: Mapping[str, Price]  # Of what memories call.
    # Names what memories are built by: agent, settings, code and model; empty if none is kept.
    builder: str
    # The servers of models that this process has started, for others on this machine.
    servers: Mapping[LocalModel, ServerAddress] = field(default_factory=dict)
    titles: Mapping[str, str] = field(default_factory=dict)  # Of sources of made-up rows, by name.

    def title(self, source: str, row: int) -> str:
        """Return what a row is called where its progress is shown, as tables call its source."""
        name = self.titles.get(source, source).replace(", made up", "")
        return f"{name}, row {row}"


@dataclass(frozen=True)
class RunContext:
    """All that the engine needs to run one agent over a row."""

    spec: RunSpec
    agent: AgentFactory
    model: ReadingModel | None  # Which all agents share; it is closed at the end.
    inputs: RunInputs
    store: SampleStore
    progress: Progress = field(default_factory=NoProgress)
    stop: Stop = field(default_factory=Stop)
    meter: Meter | None = None  # None if no calls of memories can be counted.
    # Set once the user is warned that searches return whole histories, so that it is said once.
    said_shallow: threading.Event = field(default_factory=threading.Event)
    agent_made: threading.Event = field(default_factory=threading.Event)  # Set by the first agent.

    def metering(self) -> AbstractContextManager[RunContext]:
        """Return a context manager that yields this context, with a meter if one is needed.

        It is needed where a model's address is known and the agent takes an address to call.

        Raises:
            MissingPackageError: when aiohttp is not installed.
            UsageError: when a server was named whose calls cannot be metered, or replies are
                replayed for a memory that calls a server past the meter.
            DataError: when kept replies cannot be read.
        """
        self._refuse_replay_past_meter()
        address = self._find_metered_address()
        if address is None or not self.agent.takes_address:
            return nullcontext(self)
        spec, model, replies = self.spec.agent, self.model, self.spec.agent.replies
        cache = None
        if replies.replay or replies.cache:
            cache = ResponseCache(replies.replay, reads_only=replies.replay is not None)
        retry = spec.model.retry if spec.model else None
        gate = RequestGate(model.gate if model else None, retry, "the server that the memory calls")
        return self._with_meter(Meter(address, self.inputs.prices, gate, cache, self.stop.ask))

    def _refuse_replay_past_meter(self) -> None:
        """Refuse to replay replies for a memory that calls a server past the meter."""
        spec = self.spec.agent
        if not spec.replies.replay or self.agent.takes_address:
            return
        for name, value in spec.served.items():
            raise UsageError(
                f"{name}={value} bypasses the meter, so its replies are not cached and "
                "cannot be replayed; give the folder of a model, or run the memory with "
                "`python`",
                parameter="replay",
            )

    def _find_metered_address(self) -> ModelAddress | None:
        """Return the server of the models that memories call, with the real key; None without one.

        Raises:
            UsageError: when a server was named and the agent takes no address.
        """
        spec, agent = self.spec.agent, self.agent
        if spec.meter is None:
            return None if self.model is None else self.model.address()
        on_server = spec.model.name_on_server if spec.model else None
        address = ModelAddress.find(on_server, spec.meter)
        if not agent.takes_address:
            raise UsageError(
                f"{agent.name} cannot be told where to call a model; `meter` is for programs "
                "and servers on this machine and for interpreters (`python`), and in this "
                "process `model` for what takes an argument of that name",
                parameter="meter",
            )
        return address

    @contextmanager
    def _with_meter(self, meter: Meter) -> Iterator[RunContext]:
        """Yield this context with a meter, which serves until the block ends."""
        with meter:
            yield replace(self, meter=meter)
