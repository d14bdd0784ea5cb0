"""What users can set of a race: which histories, what decides it, and when it is given up."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from typing import Annotated

from mabench.settings import RunPart, Setting
from mabench.specs.run import Difficulty, RunSpec

_data, _race, _limits = (partial(Setting, group) for group in ("Data", "Race", "Limits"))


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
    difficulty: Difficulty = "real"
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
