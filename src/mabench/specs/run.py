"""The one description of a run: which agent, over which rows, how it is told, within what limits.

Everything that runs, estimates, sweeps, repeats or checks takes it, and it is sent to other
processes and machines as it is; what sweeps, races, judges and stress tests take beside it follows.
What users can set is declared here, or beside its model, and nowhere else.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import ClassVar, Self

from mabench.errors import UsageError
from mabench.settings import RunPart, SettingGroup, as_whole
from mabench.specs.model import ModelSpec, ReplySpec, check_server

_GROUPS = "Agent Data History Models Cost Parallel Limits Output Race"
_argument, _agent, _data, _history, _models, _cost, _parallel, _limits, _output, _race = map(
    SettingGroup, ("", *_GROUPS.split())
)
_PUBLISHED = ("paper", "repository", "paper-unmarked", "repository-unmarked")
_PROTOCOLS = ("structured", "turns", *_PUBLISHED)


def _max_cost() -> float | None:
    return _cost(None, "Stop when this many US dollars are spent.", "DOLLARS", above=0)


def _prompt_file() -> str | Path | None:
    return _history(None, "A TOML file of prompts to use instead of ours, or 'paper'.", "FILE")


@dataclass(frozen=True, kw_only=True, slots=True)
class AgentSpec(ReplySpec):
    """Which agent, and how it is made; ``agent`` may also be a class or function that makes one.

    ``prices``, ``cache`` and ``replay`` are about the models that the memory calls by itself at
    the server ``meter``; what a ``model`` says of them counts where there is one. ``prices`` are
    also those of embeddings that a setting names, as ``openai/NAME``.
    """

    agent: str | Callable[..., object] = _argument(
        "floor",
        "A built-in, a plugin, package.module:factory, stdio:COMMAND, mcp:SERVER or a URL.",
        "AGENT",
    )
    settings: Mapping[str, object] = _agent(
        {}, "A setting of the agent; repeatable.", "NAME=VALUE", "set"
    )
    python: str | Path | None = _agent(
        None, "The Python interpreter that has the agent installed; default: this one.", "PATH"
    )
    mcp_map: str | Path | None = _agent(
        None,
        "How to use an MCP server's tools: a TOML file, or the name of a built-in mapping.",
        "FILE",
    )
    env: Sequence[str] = _agent(
        (), "Pass this environment variable to the agent's own process.", "NAME"
    )
    keep_memories: bool = _agent(False, "Cache built memories for later runs.")
    same_code: bool = _agent(
        False, "Resume although the agent's code is unknown: it is the same as before."
    )
    model: ModelSpec | None = None
    meter: str | None = _models(None, "Meter the memory's own calls to this server.", "URL")

    def __post_init__(self) -> None:
        object.__setattr__(self, "env", (self.env,) if isinstance(self.env, str) else (*self.env,))
        if self.meter is not None:
            check_server(self.meter, "meter")
        elif self.model is None:
            for name in ("prices", "cache", "replay"):
                if getattr(self, name) is not None and not (name == "prices" and self.served):
                    raise UsageError(
                        f"`{name}` applies only with a model: name it with `model`, or the "
                        "server of what the memory calls with `meter`",
                        parameter=name,
                    )
        ReplySpec.__post_init__(self)

    @property
    def served(self) -> Mapping[str, str]:
        """The settings that name a model of a server, as in ``embeddings=openai/NAME``."""
        named = {name: one for name, one in self.settings.items() if isinstance(one, str)}
        return {name: one for name, one in named.items() if one.startswith("openai/")}

    @property
    def replies(self) -> ReplySpec:
        """What replies to the memory's own calls cost, and which are kept or used again."""
        return self.model or self


@dataclass(frozen=True, kw_only=True, slots=True)
class DataSpec(RunPart):
    """Which rows, and which of their questions; ``data`` may be all that ``mabench.load`` takes."""

    data: object = _data(
        "synthetic:start",
        "A folder or file of rows, 'hub', or a made-up set such as 'synthetic:small'.",
        "DATA",
    )
    sources: tuple[str, ...] | None = _data(
        None, "Only this source, or all lengths of it, or a family; repeatable.", "SOURCE", "source"
    )
    rows: tuple[int, ...] | None = _data(
        None, "Only this row, or rows such as 0-5, of each split; repeatable.", "N", "row"
    )
    limit_questions: int | None = _data(
        None, "Ask at most this many questions per row.", "N", minimum=1
    )
    entities: str | Path | None = _data(
        None, "entity2id.json, for rows of recommendations.", "FILE"
    )
    offline: bool = _data(False, "Do not use the network.")


@dataclass(frozen=True, kw_only=True, slots=True)
class InjectionSpec(RunPart):
    """How a history is fed to the agent, and how questions are asked."""

    protocol: str = _history("structured", f"{', '.join(_PROTOCOLS)}.", "NAME", choices=_PROTOCOLS)
    chunk_tokens: int | None = _history(
        None, "Size of a chunk; default: the protocol's.", "N", minimum=1
    )
    prompts: str | Path | None = _prompt_file()


@dataclass(frozen=True, slots=True)
class Limits(RunPart):
    """How much runs at once, how long it may take, and when the run stops.

    No score depends on them. With more than one question at once, a sync agent is called from
    several threads at once.
    """

    parameter: ClassVar[str] = "limits"

    rows: int | None = _parallel(
        None,
        "Rows run at once; default: 1, or with processes one per core.",
        "N",
        "rows_in_parallel",
        minimum=1,
    )
    questions: int = _parallel(
        1, "Questions of a row asked at once.", "N", "questions_in_parallel", minimum=1
    )
    memorize_seconds: float | None = _limits(
        3600.0, "Time limit for memorizing a chunk.", "SECONDS", "memorize_timeout", above=0
    )
    answer_seconds: float | None = _limits(
        3600.0, "Time limit for an answer.", "SECONDS", "answer_timeout", above=0
    )
    max_errors: int | None = _limits(None, "Stop after this many errors.", "N", minimum=1)
    max_same_errors: int = _limits(
        20, "Stop when the first N answers fail with the same error; 0: never.", "N", minimum=0
    )
    ray_address: str | None = _parallel(None, "The Ray cluster; default: this machine.", "ADDRESS")


@dataclass(frozen=True, kw_only=True, slots=True)
class RunSpec(RunPart):
    """A run.

    ``max_cost`` counts money spent before a resume. Without ``out``, the folder is in ``runs``.
    ``command`` is the command that was given, without secrets; None from Python.
    """

    agent: AgentSpec = field(default_factory=AgentSpec)
    data: DataSpec = field(default_factory=DataSpec)
    injection: InjectionSpec = field(default_factory=InjectionSpec)
    limits: Limits = field(default_factory=Limits)
    max_cost: float | None = _max_cost()
    executor: str = _parallel(
        "local",
        "local, processes (all cores of this machine) or ray (a cluster).",
        "NAME",
        choices=("local", "processes", "ray"),
    )
    out: Path | None = _output(None, "The run folder; default: a new one in runs.", "FOLDER")
    retry_errors: bool = _limits(False, "Ask failed questions again.")
    fresh: bool = _output(False, "Set the folder's answers aside and start over.")
    command: str | None = None

    def __post_init__(self) -> None:
        RunPart.__post_init__(self)  # With slots, `super()` finds another class.
        if self.fresh and self.retry_errors:
            raise UsageError(
                "`fresh` asks everything anew: leave out `retry_errors`", parameter="retry_errors"
            )
        if self.limits.ray_address is not None and self.executor != "ray":
            raise UsageError("a Ray cluster needs the `executor` ray", parameter="ray_address")

    def without_data(self) -> Self:
        """Return it as it is sent elsewhere: a task has its row."""
        return replace(self, data=replace(self.data, data=None))


@dataclass(frozen=True, kw_only=True, slots=True)
class JudgeSpec(RunPart):
    """A judge: a language model with its prompts, whose roles begin with ``judge``.

    As many answers are judged at a time as the model takes requests. ``max_cost`` does not count
    earlier calls.
    """

    data: str | None = _data(None, "The run's data set, if it has moved.", "DATA")
    unclear: bool = _data(False, "Judge only answers that the corrected score cannot decide.")
    prompts: str | Path | None = _prompt_file()
    model: ModelSpec
    max_cost: float | None = _max_cost()


def _difficulty() -> str:
    names = ("easy", "real", "hard")
    return _data("real", "Difficulty of the rows: easy, real or hard.", "NAME", choices=names)


@dataclass(frozen=True, kw_only=True, slots=True)
class SweepSpec:
    """The rows of a sweep: one for each of the ``values`` of a setting.

    What varies, ``knob``, is ``tokens``, ``questions``, or a knob of the source's family;
    ``knobs`` has values of other settings for all rows, ``difficulty`` sets the rest.
    """

    source: str = field(
        metadata=_data.without_default(
            "A source, with or without its length; the nearest is taken.", "SOURCE"
        )
    )
    knob: str
    values: tuple[int | float, ...]
    seed: int = _data(0, "The seed of the rows.", "N")
    knobs: Mapping[str, int | float] = field(default_factory=dict)
    difficulty: str = _difficulty()

    def __post_init__(self) -> None:
        values = tuple(map(as_whole, self.values))
        if twice := next((value for value in values if values.count(value) > 1), None):
            raise UsageError(f"the value {self.knob}={twice} is given twice", parameter="values")
        object.__setattr__(self, "values", values)
        knobs = {name: as_whole(value) for name, value in self.knobs.items()}
        object.__setattr__(self, "knobs", knobs)


@dataclass(frozen=True, kw_only=True, slots=True)
class RaceSpec(RunPart):
    """A race over the data of ``run``, whose agent has the settings that all agents share.

    Its ``out`` is the folder of the race, and its ``max_cost`` that of all runs together.
    """

    run: RunSpec = field(default_factory=RunSpec)
    over: tuple[str, ...] = _data((), "Take the mean over several sources; repeatable.", "SOURCE")
    tokens: int | None = _data(
        None, "Length of each history, such as 6k or 1m; default: the benchmark's.", "N", minimum=1
    )
    questions: int | None = _data(
        None, "Questions of each row; default: the benchmark's.", "N", minimum=1
    )
    difficulty: str = _difficulty()
    seed: int = _data(0, "The seed of the rows.", "N")
    margin: float | None = _race(
        None, "Call agents equal once they differ by less than this.", "POINTS", above=0
    )
    builds: int = _race(1, "How many times to build the memory of each history.", "N", minimum=1)
    max_histories: int = _limits(
        100, "Stop undecided after this many histories per source.", "N", minimum=1
    )
    max_hours: float | None = _limits(
        None, "Start no new history after this many hours.", "HOURS", above=0
    )


@dataclass(frozen=True, kw_only=True, slots=True)
class StressSpec(RunPart):
    """How a memory is stressed.

    ``faults`` are ``{"model": RATE}``: that share of the requests to the server of models that the
    memory calls (``meter`` of an ``AgentSpec``, or its model) is spoiled for a while.
    """

    seconds: float = _limits(
        60.0, "Time limit, after a first trial of the memory.", "SECONDS", "for", minimum=1
    )
    patience: float = _limits(
        10.0, "How long to wait until a write is found.", "SECONDS", minimum=0
    )
    seed: int = _data(0, "The seed of the histories and their words.", "N")
    clients: tuple[int, ...] = _data(
        (1, 8, 64), "Numbers of concurrent clients under load.", "N,N,..."
    )
    faults: Mapping[str, float] = _data(
        {}, "Let the metered server misbehave at a rate.", "model=RATE"
    )

    def __post_init__(self) -> None:
        RunPart.__post_init__(self)
        if not self.clients or any(count not in range(1, 1001) for count in self.clients):
            raise UsageError("give numbers from 1 to 1000, such as 1,8,64", parameter="clients")
        if self.faults and not ({*self.faults} == {"model"} and 0 < self.faults["model"] <= 1):
            message = "give a rate of a model's faults, above 0 and at most 1, such as model=0.1"
            raise UsageError(message, parameter="faults")
