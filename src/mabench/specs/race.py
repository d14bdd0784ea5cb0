"""What a race is over, and when it ends undecided."""

from __future__ import annotations

from dataclasses import dataclass, field

from mabench.settings import RunPart, SettingGroup
from mabench.specs.run import RunSpec
from mabench.specs.shared import declare_difficulty

_data, _limits, _race = map(SettingGroup, ("Data", "Limits", "Race"))


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
    difficulty: str = declare_difficulty()
    seed: int = _data(0, "The seed of the rows.", "N")
    equal_within: float | None = _data(
        None,
        "Also say which are equal within this (two one-sided tests).",
        "POINTS",
        above=0,
    )
    assume_symmetric: bool = _race(
        False,
        "Decide by which agent is more often better: at 15 points after 9 to 25 histories instead "
        "of 32 to 37, but right only if neither fails whole histories now and then.",
    )
    builds: int = _race(1, "How many times to build the memory of each history.", "N", minimum=1)
    max_histories: int = _limits(
        100, "Stop undecided after this many histories per source.", "N", minimum=1
    )
    max_hours: float | None = _limits(
        None, "Start no new history after this many hours.", "HOURS", above=0
    )
