"""The one description of a run: which agent, over which rows, how it is told, within what limits.

Everything that runs, estimates, sweeps, repeats or checks takes it, and it is sent to other
processes and machines as it is.
"""

from __future__ import annotations

import math
import os
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from enum import StrEnum
from pathlib import Path

from mabench.data import Dataset, Question, Row, Source, sources_meant
from mabench.data.inventory import a_source_like, declaration_of
from mabench.errors import DataError, UsageError
from mabench.families import SYSTEM_MESSAGE, Prompts, load_prompts
from mabench.injection import protocol_named
from mabench.lookup import AgentFactory, capabilities_of, refuse_ignored_model, resolve
from mabench.models import ModelSpec, ReadingModel, check_server, open_model
from mabench.models.spec import checked_replay
from mabench.suggestions import unknown


class ExecutorName(StrEnum):
    """Where rows are run: in this process, in processes of this machine, or on a Ray cluster."""

    LOCAL = "local"
    PROCESSES = "processes"
    RAY = "ray"


def executor_named(name: str) -> ExecutorName:
    """Return an executor by name.

    Raises:
        UsageError: when there is none of that name.
    """
    try:
        return ExecutorName(name)
    except ValueError:
        raise UsageError(
            unknown("no executor is named", name, ExecutorName), parameter="executor"
        ) from None


@dataclass(frozen=True, kw_only=True, slots=True)
class AgentSpec:
    """Which agent, and how it is made.

    Attributes:
        agent: the name of an agent, or a class or function that makes one.
        settings: keyword arguments for what makes it.
        python: the interpreter in which it lives; None for this one.
        mcp_map: how the tools of an MCP server are used: a TOML file or a shipped name.
        model: the language model that reads.
        env: names of environment variables that are passed on to an agent in a process of its own.
        meter: the server of the models that the memory calls by itself; that of ``model`` if None.
        prices: a TOML file of prices of what it calls, where no ``model`` has one.
        cache: whether replies to its calls are kept, where no ``model`` says so.
        replay: a folder of kept replies, which alone are used, where no ``model`` names one.
    """

    agent: str | Callable[..., object] = "floor"
    settings: Mapping[str, object] = field(default_factory=dict)
    python: str | Path | None = None
    mcp_map: str | Path | None = None
    model: ModelSpec | None = None
    env: tuple[str, ...] = ()
    meter: str | None = None
    prices: Path | None = None
    cache: bool | None = None
    replay: Path | None = None

    def __post_init__(self) -> None:
        """Refuse an address that is none, and kept replies of no model."""
        if self.meter is not None:
            check_server(self.meter, "meter")
        elif self.replay is not None and self.model is None:
            raise UsageError(
                "`replay` is about a model: name it with `model`, or the server of what the "
                "memory calls with `meter`",
                parameter="replay",
            )
        object.__setattr__(self, "replay", checked_replay(self.replay, self.cache))

    @property
    def keeps_calls(self) -> bool:
        """Whether the replies to the memory's own calls are kept."""
        return bool(self.model.cache if self.model else self.cache)

    @property
    def replayed(self) -> Path | None:
        """Where the kept replies lie that alone are used; None where calls are sent."""
        return self.model.replay if self.model else self.replay

    def open_model(self) -> ReadingModel | None:
        """Return a client of the model that reads; None without one.

        Raises:
            MissingPackageError: when the package that it needs is not installed.
            UsageError: when there is no key for it, the prices cannot be read, or the agent
                would ignore it.
        """
        self.check_model()
        return open_model(self.model) if self.model else None

    def check_model(self) -> None:
        """Refuse a model that the agent is known to ignore, before anything is read or made.

        Raises:
            UsageError: when it is.
        """
        if self.model:
            refuse_ignored_model(self.agent, self.settings, self.python)

    def resolve(self, model: ReadingModel | None) -> AgentFactory:
        """Find the agent, which reads with ``model``.

        Raises:
            UsageError: when there is no such agent or setting.
        """
        return resolve(
            self.agent,
            model,
            settings=self.settings,
            python=self.python,
            mcp_map=self.mcp_map,
            env=self.env,
        )


@dataclass(frozen=True, kw_only=True, slots=True)
class DataSpec:
    """Which rows, and which of their questions.

    Attributes:
        data: what ``mabench.load`` takes.
        sources: the sources, each with its length or without; all when None.
        rows: the rows, by their index within the split; all when None.
        limit_questions: how many questions of each row, from the first; all when None.
        entities: ``entity2id.json``, for recommendation rows; else the data set's own.
        offline: never touch the network.
    """

    data: object = "synthetic:small"
    sources: tuple[str, ...] | None = None
    rows: tuple[int, ...] | None = None
    limit_questions: int | None = None
    entities: str | Path | None = None
    offline: bool = False

    def __post_init__(self) -> None:
        """Refuse a limit below 1."""
        _at_least_one("limit_questions", self.limit_questions)

    def selected(self, dataset: Dataset) -> Iterator[tuple[Row, list[Question]]]:
        """Yield the rows with the questions to be asked of each."""
        for row in dataset.rows(self.sources):
            if self.rows is None or row.index in self.rows:
                yield row, list(row.flatten())[: self.limit_questions]

    def questions_by_source(self, dataset: Dataset) -> dict[str, int]:
        """Return how many questions are asked, by source.

        Raises:
            DataError: when there are none, or none of one of the sources.
            UsageError: when a source is unknown, or one of the rows is declared by nobody.
        """
        held = {one.source for one in dataset.outline}
        chosen = (
            None if self.sources is None else sources_meant(self.sources, dataset.sources, held)
        )
        counts: Counter[str] = Counter()
        for one in dataset.outline:
            if (chosen is None or one.source in chosen) and (
                self.rows is None or one.row in self.rows
            ):
                counts[one.source] += min(one.questions, self.limit_questions or one.questions)
        for name in counts:
            if name not in dataset.sources:
                raise UsageError(
                    f"{dataset.name}: rows of the unknown source {name!r}; expected "
                    f"{a_source_like(name, dataset.sources)}, such as:\n{declaration_of(name)}"
                )
        missing = [name for name in chosen or () if name not in held]
        if missing and len(missing) < len(chosen or ()):
            raise DataError(
                f"{dataset.name}: no rows of {', '.join(missing)}; leave it out of `sources`, or "
                "name data that have it; `mabench data show` lists what they hold",
                parameter="sources",
            )
        if not counts:
            wanted = f" of {', '.join(chosen)}" if chosen else ""
            if self.rows:
                wanted += f" with the index {', '.join(map(str, self.rows))}"
            raise DataError(
                f"{dataset.name}: no rows{wanted}; `mabench data show` lists what it holds"
            )
        return dict(counts)


@dataclass(frozen=True, kw_only=True, slots=True)
class InjectionSpec:
    """How a history is told, and how questions are put.

    Attributes:
        protocol: the name of the protocol.
        chunk_tokens: the size of a chunk, instead of the protocol's.
        prompts: a TOML file of prompts by family and role that replace ours, or a shipped name.
    """

    protocol: str = "structured"
    chunk_tokens: int | None = None
    prompts: str | Path | None = None

    def __post_init__(self) -> None:
        """Refuse a size below 1."""
        _at_least_one("chunk_tokens", self.chunk_tokens)


@dataclass(frozen=True, slots=True)
class Limits:
    """How much happens at a time, how long it may take, when the run stops.

    No score depends on them.

    Attributes:
        rows: how many rows are run at a time, each by an agent of its own; None for one, or with
            processes for as many as there are cores to use.
        questions: how many questions an agent is asked at a time; more than one calls a sync
            agent from several threads at once.
        memorize_seconds: how long an agent may take over a chunk; an hour unless it is said, None
            for any time.
        answer_seconds: the same for an answer.
        max_errors: how many failures stop the run; None for any number.
        max_same_errors: how many failures of one kind stop the run where they are the first
            answers of a row or of the run; 0 for any number.
    """

    rows: int | None = None
    questions: int = 1
    memorize_seconds: float | None = 3600.0
    answer_seconds: float | None = 3600.0
    max_errors: int | None = None
    max_same_errors: int = 20

    def __post_init__(self) -> None:
        """Refuse what is not positive."""
        for name in ("rows", "questions", "memorize_seconds", "answer_seconds", "max_errors"):
            value = getattr(self, name)
            if value is not None and value <= 0:
                raise UsageError(
                    f"{name.replace('_', ' ')} must be more than 0, not {value}",
                    parameter=f"limits.{name}",
                )
        if self.max_same_errors < 0:
            raise UsageError(
                f"max same errors must be 0 or more, not {self.max_same_errors}",
                parameter="limits.max_same_errors",
            )


def usable_cores(own: Path = Path("/proc/self/cgroup"), root: Path = Path("/sys/fs/cgroup")) -> int:
    """Return how many cores this process may use, by its affinity and its containers' quotas.

    Args:
        own: the file that names the control group of this process.
        root: the folder of all control groups (version 2).
    """
    affinity = getattr(os, "sched_getaffinity", None)  # Linux alone has it.
    cores = len(affinity(0)) if affinity else os.cpu_count() or 1
    group = root
    with suppress(OSError, ValueError):
        lines = own.read_text(encoding="utf-8").splitlines()
        line = next((line for line in lines if line.startswith("0::")), "")
        group /= line.removeprefix("0::").lstrip("/")
    for folder in (group, *group.parents):
        with suppress(OSError, ValueError):
            quota, period = (folder / "cpu.max").read_text(encoding="ascii").split()
            cores = min(cores, math.ceil(int(quota) / int(period)))  # No number is no quota.
    return cores


def check_max_cost(max_cost: float | None) -> None:
    """Refuse a limit of cost that is no amount of money.

    Raises:
        UsageError: when it is.
    """
    if max_cost is not None and not 0 < max_cost < math.inf:
        raise UsageError(
            f"{max_cost:g} is no limit of cost; give US dollars above 0", parameter="max_cost"
        )


@dataclass(frozen=True, kw_only=True, slots=True)
class RunSpec:
    """A run.

    Attributes:
        agent: which agent.
        data: which rows.
        injection: how they are told.
        limits: how much at a time, and how many errors stop it.
        max_cost: how many US dollars stop it, those of earlier sittings included.
        executor: where rows are run.
        ray_address: the Ray cluster; one on this machine when None.
        out: the run folder; when None, one under ``runs``.
        retry_errors: ask again what failed before.
        fresh: set aside the answers that the folder holds, and run anew.
        keep_memories: keep the memories of agents that can save them, for later runs.
        command: the command that was given, without secrets; None from Python.
    """

    agent: AgentSpec = field(default_factory=AgentSpec)
    data: DataSpec = field(default_factory=DataSpec)
    injection: InjectionSpec = field(default_factory=InjectionSpec)
    limits: Limits = field(default_factory=Limits)
    max_cost: float | None = None
    executor: ExecutorName = ExecutorName.LOCAL
    ray_address: str | None = None
    out: Path | None = None
    retry_errors: bool = False
    fresh: bool = False
    keep_memories: bool = False
    command: str | None = None

    def __post_init__(self) -> None:
        """Refuse a cost that nothing could keep to, and a cluster that no executor would use."""
        check_max_cost(self.max_cost)
        if self.fresh and self.retry_errors:
            raise UsageError(
                "`fresh` asks everything anew: leave out `retry_errors`", parameter="retry_errors"
            )
        if self.ray_address is not None and self.executor is not ExecutorName.RAY:
            raise UsageError("a Ray cluster needs the `executor` ray", parameter="ray_address")

    @property
    def rows_in_parallel(self) -> int:
        """How many rows are run at a time."""
        if self.limits.rows is not None:
            return self.limits.rows
        return usable_cores() if self.executor is ExecutorName.PROCESSES else 1

    def resolve_agent(self, model: ReadingModel | None) -> AgentFactory:
        """Find the agent, which reads with ``model``.

        One that shows the whole history cuts it as the published code does under the protocols
        of that code, unless its settings say otherwise.

        Raises:
            UsageError: when there is no such agent, setting or protocol.
        """
        agent = self.agent
        if self.cuts_as_published:
            agent = replace(agent, settings={"published": True, **agent.settings})
        return agent.resolve(model)

    @property
    def cuts_as_published(self) -> bool:
        """Whether the agent shows the whole history, cut as the published code cuts it."""
        if not capabilities_of(self.agent.agent).shows_history:
            return False
        published = protocol_named(self.injection.protocol).published
        return bool(self.agent.settings.get("published", published))

    def load_prompts(self, sources: Mapping[str, Source]) -> Prompts:
        """Return the prompts of the run.

        Under the protocols of the published code a model that reads gets a system message.

        Raises:
            UsageError: when there is no such protocol, or the file of prompts is wrong.
        """
        published = protocol_named(self.injection.protocol).published
        file = Path(self.injection.prompts) if self.injection.prompts else None
        system = SYSTEM_MESSAGE if published and self.agent.model else ""
        return load_prompts(file, sources, system=system)

    def without_data(self) -> RunSpec:
        """Return the same run without a data set in memory, which cannot be sent elsewhere."""
        if not isinstance(self.data.data, Dataset):
            return self
        return replace(self, data=replace(self.data, data=self.data.data.location))


def _at_least_one(name: str, number: int | None) -> None:
    if number is not None and number < 1:
        raise UsageError(f"{name} must be at least 1, not {number}", parameter=name)
