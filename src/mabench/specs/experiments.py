"""What users can set of experiments: a sweep, a race and a stress."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Annotated

from mabench.errors import UsageError
from mabench.settings import RunPart, Setting
from mabench.specs.run import RunSpec

_data, _race, _limits = (partial(Setting, group) for group in ("Data", "Race", "Limits"))
_Difficulty = Annotated[
    str,
    _data(
        "easy, real or hard rows; a given knob takes precedence.",
        "NAME",
        choices=("easy", "real", "hard"),
    ),
]


@dataclass(frozen=True, kw_only=True, slots=True)
class SweepSpec:
    """The rows of a sweep: one for each of the ``values`` of a setting.

    What varies, ``knob``, is ``tokens``, ``questions``, or a knob of the source's family;
    ``knobs`` has values of other settings for all rows, ``difficulty`` sets the rest.
    """

    source: Annotated[
        str, _data("A source, with or without its length; the nearest is taken.", "SOURCE")
    ]
    knob: str
    values: tuple[int | float, ...]
    seed: Annotated[int, _data("The seed of the rows.", "N")] = 0
    knobs: Mapping[str, int | float] = field(default_factory=dict)
    difficulty: _Difficulty = "real"


@dataclass(frozen=True, kw_only=True, slots=True)
class RaceSpec(RunPart):
    """A race over the data of ``run``, whose agent has the settings that all agents share.

    Its ``out`` is the folder of the race, and its ``max_cost`` that of all runs together.
    """

    run: RunSpec = field(default_factory=RunSpec)
    over: Annotated[
        tuple[str, ...], _data("Take the mean over several sources; repeatable.", "SOURCE")
    ] = ()
    tokens: Annotated[
        int | None,
        _data(
            "Length of each context, such as 6k or 1m; default: the benchmark's.", "N", minimum=1
        ),
    ] = None
    questions: Annotated[
        int | None, _data("Questions of each row; default: the benchmark's.", "N", minimum=1)
    ] = None
    difficulty: _Difficulty = "real"
    seed: Annotated[int, _data("The seed of the rows.", "N")] = 0
    margin: Annotated[
        float | None,
        _race("Call agents equal if they differ by less than this.", "POINTS", above=0),
    ] = None
    builds: Annotated[
        int, _race("How many times to build the memory of each history.", "N", minimum=1)
    ] = 1
    max_histories: Annotated[
        int, _limits("Stop undecided after this many histories per source.", "N", minimum=1)
    ] = 100
    max_hours: Annotated[
        float | None, _limits("Start no new history after this many hours.", "HOURS", above=0)
    ] = None


@dataclass(frozen=True, kw_only=True, slots=True)
class StressSpec(RunPart):
    """How a memory is stressed.

    ``faults`` are ``{"model": RATE}``: that share of the requests to the server of models that the
    memory calls (``meter`` of an ``AgentSpec``, or its model) is spoiled for a while.
    """

    seconds: Annotated[
        float,
        _limits("Time limit, after a first trial of the memory.", "SECONDS", "for", minimum=1),
    ] = 60.0
    patience: Annotated[
        float, _limits("How long to wait until a write is found.", "SECONDS", minimum=0)
    ] = 10.0
    seed: Annotated[int, _data("The seed of the histories and their words.", "N")] = 0
    clients: Annotated[
        tuple[int, ...], _data("Numbers of concurrent clients under load.", "N,N,...")
    ] = (1, 8, 64)
    faults: Annotated[
        Mapping[str, float], _data("Let the metered server misbehave at a rate.", "model=RATE")
    ] = field(default_factory=dict)

    def __post_init__(self) -> None:
        RunPart.__post_init__(self)
        if not self.clients or any(not 1 <= count <= 1000 for count in self.clients):
            raise UsageError("give numbers from 1 to 1000, such as 1,8,64", parameter="clients")
        if self.faults and not ({*self.faults} == {"model"} and 0 < self.faults["model"] <= 1):
            message = "give a rate of a model's faults, above 0 and at most 1, such as model=0.1"
            raise UsageError(message, parameter="faults")
