"""The description of a run, opened: agent, model and prompts, as rows see them; what it takes."""

from __future__ import annotations

import threading
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Protocol, cast

from mabench.agents import LongContext
from mabench.data import Dataset, Source
from mabench.data.sources.declarations import dump_declarations
from mabench.data.turns import Message
from mabench.errors import MissingPackageError, UsageError
from mabench.families import SYSTEM_MESSAGE, Family, Prompts, family_of
from mabench.injection import protocol_named
from mabench.loading import load
from mabench.lookup import AgentFactory, Capabilities, refuse_ignored_model, resolve
from mabench.lookup.factory import DEPTH
from mabench.metering import Meter
from mabench.models import (
    Estimate,
    ModelAddress,
    Price,
    ReadingModel,
    ResponseCache,
    Road,
    load_prices,
)
from mabench.progress import NoProgress, Progress
from mabench.results import CallRecord, MemoryRecord, Sample, TakesRecord, Timing
from mabench.runs.folders.choosing import find_run
from mabench.runs.folders.record import make_record
from mabench.runs.selection import select_rows
from mabench.scoring import Catalogue
from mabench.specs import DataSpec, ModelSpec, RunSpec
from mabench.tasks.stopping import Stop
from mabench.text import estimate_tokens


def open_agent(spec: RunSpec) -> tuple[AgentFactory, ReadingModel | None]:
    """Find the agent of a run, and open the model that reads for it, if there is one.

    Raises:
        MissingPackageError: when a package that the model needs is not installed.
        UsageError: when there is no such agent, setting or protocol, no key for the model, its
            prices cannot be read, or the agent would ignore it.
    """
    agent, model = spec.agent, None
    if agent.model:
        refuse_ignored_model(agent)
        model = ReadingModel.open(agent.model)
    return _find_agent(spec, model), model


def _find_agent(spec: RunSpec, model: ReadingModel | None) -> AgentFactory:
    """Find the agent of a run, which reads with ``model``; raises as ``open_agent``.

    One that shows the whole history cuts it as the published code does under the protocols of that
    code, unless its settings say otherwise.
    """
    published = {"published": True} if _cuts_as_published(spec) else {}
    settings = {**published, **spec.agent.settings}
    return resolve(replace(spec.agent, settings=settings), model)


def _cuts_as_published(spec: RunSpec) -> bool:
    """Return whether the agent shows the whole history, cut as the published code cuts it."""
    if not Capabilities.of(spec.agent.agent).shows_history:
        return False
    published = protocol_named(spec.injection.protocol).published
    return bool(spec.agent.settings.get("published", published))


def load_run_prompts(spec: RunSpec, sources: Mapping[str, Source]) -> Prompts:
    """Return the prompts of a run; models get a system message under the published protocols.

    Raises:
        UsageError: when there is no such protocol, or the file of prompts is wrong.
    """
    published = protocol_named(spec.injection.protocol).published
    file = Path(spec.injection.prompts) if spec.injection.prompts else None
    return Prompts.load(
        file, sources, system=SYSTEM_MESSAGE if published and spec.agent.model else ""
    )


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

    def append_call(self, call: CallRecord) -> None:
        """Store a call of a model; from any thread."""

    def note_takes(self, takes: TakesRecord) -> None:
        """Note what the agent takes beside texts."""


@dataclass(frozen=True, slots=True)
class RunInputs:
    """What a run reads once, and every process then needs."""

    prompts: Prompts
    catalogue: Catalogue | None  # None where the entity file is not known.
    sources: Mapping[str, Source]
    prices: Mapping[str, Price]  # Of what memories call.
    builder: str  # Names what memories are built by: agent, settings, code and model.


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
    meter: Meter | None = None  # None where no calls of memories can be counted.
    agent_made: threading.Event = field(default_factory=threading.Event)  # Set by the first.

    @contextmanager
    def metering(self) -> Iterator[RunContext]:
        """Yield this with a meter, where memories can be told of its address; else as it is.

        Raises:
            MissingPackageError: when aiohttp is not installed.
            UsageError: when a server was named whose calls cannot be metered, or replies are
                replayed for a memory that calls a server past the meter.
            DataError: when kept replies cannot be read.
        """
        spec, agent, model = self.spec.agent, self.agent, self.model
        replies = spec.replies
        if replies.replay and not agent.takes_address:
            for name, value in spec.served.items():
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
        elif model is not None:
            address = model.address()
        if address is None or not agent.takes_address:
            yield self
            return
        cache = None
        if replies.replay or replies.cache:
            cache = ResponseCache(replies.replay, reads_only=replies.replay is not None)
        retry = spec.model.retry if spec.model else None
        road = Road(model.road if model else None, retry, "the server that the memory calls")
        meter = Meter(address, self.inputs.prices, road, cache, self.stop.ask)
        with meter:
            yield replace(self, meter=meter)


def default_agent(data: DataSpec) -> str:
    """Return who is asked where nobody is named; raises as ``load``.

    That is ``floor``; but ``bm25`` where sources are not of the benchmark, whose forms of histories
    and questions the skills of ``floor`` are made for.
    """
    dataset = data.data
    if isinstance(dataset, str | Path):
        dataset = load(dataset, offline=data.offline)
    return (
        "bm25" if isinstance(dataset, Dataset) and dump_declarations(dataset.sources) else "floor"
    )


def estimate_run(spec: RunSpec) -> list[Estimate]:
    """Return what each source of a run would take.

    ``long-context`` shows the history to the model with every question, up to its window; any
    other agent is taken to show as many chunks as a search returns. Models that a memory calls
    by itself are not counted. Of a run that its folder holds already, what is left is estimated.

    Raises:
        UsageError: when a part of the spec is wrong, or the folder holds another run.
        DataError: when the data cannot be read.
    """
    model = spec.agent.model
    if model:
        refuse_ignored_model(spec.agent)
    price = Price.of(model.name, load_prices(model.prices)) if model else None
    window = (model.window if model else None) or (price.window if price else None)
    agent = _name_agent(spec)
    dataset = load(spec.data.data, offline=spec.data.offline)
    prompts = load_run_prompts(spec, dataset.sources)
    protocol = protocol_named(spec.injection.protocol)
    record = make_record(spec, agent, dataset, prompts) if agent else None
    folder = find_run(spec, record) if record else None
    done = {
        sample.key
        for sample in (folder.samples() if folder else ())
        if not (spec.retry_errors and sample.error)
    }
    totals: dict[str, Counter[str]] = defaultdict(Counter)
    for row, selected in select_rows(spec.data, dataset):
        family, total = family_of(row.source, dataset.sources), totals[row.source]
        chunk_tokens = spec.injection.chunk_tokens or protocol.budget(family).chunk_tokens
        if protocol.by_turn and (messages := Message.of_row(row)):
            chunk_tokens = -(-estimate_tokens(row.context) // len(messages))
        questions = [question for question in selected if question.key not in done]
        system = estimate_tokens(prompts.system(family.name))
        prompt_tokens = [
            system + estimate_tokens(prompts.ask(family.name, question.question))
            for question in questions
        ]
        calls = len(prompt_tokens)
        total["chunk_tokens"] = chunk_tokens
        total["done"] += len(selected) - len(questions)
        if questions:
            history = estimate_tokens(row.context)
            shown = _count_shown(spec, family, history, chunk_tokens, window)
            total["chunks"] += -(-history // chunk_tokens)
            total["calls"] += calls
            total["input"] += sum(prompt_tokens) + calls * shown
            total["output"] += calls * protocol.budget(family).answer_tokens
    return [_estimate(model, source, total) for source, total in totals.items()]


def _estimate(model: ModelSpec | None, source: str, total: Counter[str]) -> Estimate:
    estimate = Estimate(source, 0, 0, 0, 0.0, 0.0)
    if model:
        counts = (total[name] for name in ("calls", "input", "output"))
        estimate = Estimate.of_calls(model, source, *counts)
    others: Any = {name: total[name] for name in ("chunks", "chunk_tokens", "done")}
    return estimate._replace(**others)


def _name_agent(spec: RunSpec) -> str | None:
    # The agent is looked up alone, so no key of the model is needed.
    nowhere = ModelAddress("", "", "")
    reader = cast("ReadingModel", SimpleNamespace(address=lambda: nowhere, window=None))
    try:
        return _find_agent(spec, reader if spec.agent.model else None).name
    except MissingPackageError:  # The packages need not be here yet.
        return None


def _count_shown(
    spec: RunSpec, family: Family, history: int, chunk_tokens: int, window: int | None
) -> int:
    if not Capabilities.of(spec.agent.agent).shows_history:
        return min(history, chunk_tokens * depth_of(spec))
    answer_tokens = None
    if _cuts_as_published(spec):
        answer_tokens = protocol_named(spec.injection.protocol).budget(family).answer_tokens
    return LongContext.shown(history, window, answer_tokens)


def depth_of(spec: RunSpec) -> int:
    """Return how many passages are searched for."""
    depth = spec.agent.settings.get("k", DEPTH)
    return depth if isinstance(depth, int) else DEPTH
