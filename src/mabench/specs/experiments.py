"""What users can set of experiments: a sweep, a race and a stress."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from mabench.errors import UsageError
from mabench.settings import RunPart, SettingGroup
from mabench.specs.run import RunSpec

_data, _race, _limits = map(SettingGroup, ("Data", "Race", "Limits"))


def _difficulty() -> str:
    names = ("easy", "real", "hard")
    return _data(
        "real", "easy, real or hard rows; a given knob takes precedence.", "NAME", choices=names
    )


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


@dataclass(frozen=True, kw_only=True, slots=True)
class RaceSpec(RunPart):
    """A race over the data of ``run``, whose agent has the settings that all agents share.

    Its ``out`` is the folder of the race, and its ``max_cost`` that of all runs together.
    """

    run: RunSpec = field(default_factory=RunSpec)
    over: tuple[str, ...] = _data((), "Take the mean over several sources; repeatable.", "SOURCE")
    tokens: int | None = _data(
        None, "Length of each context, such as 6k or 1m; default: the benchmark's.", "N", minimum=1
    )
    questions: int | None = _data(
        None, "Questions of each row; default: the benchmark's.", "N", minimum=1
    )
    difficulty: str = _difficulty()
    seed: int = _data(0, "The seed of the rows.", "N")
    margin: float | None = _race(
        None, "Call agents equal if they differ by less than this.", "POINTS", above=0
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
        if not self.clients or any(not 1 <= count <= 1000 for count in self.clients):
            raise UsageError("give numbers from 1 to 1000, such as 1,8,64", parameter="clients")
        if self.faults and not ({*self.faults} == {"model"} and 0 < self.faults["model"] <= 1):
            message = "give a rate of a model's faults, above 0 and at most 1, such as model=0.1"
            raise UsageError(message, parameter="faults")
