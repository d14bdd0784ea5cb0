"""What users can set of a race: which histories, what decides it, and when it is given up."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Annotated

from mabench.settings import RunPart, Setting

_data, _race, _limits = (partial(Setting, group) for group in ("Data", "Race", "Limits"))


@dataclass(frozen=True, kw_only=True, slots=True)
class RaceSpec(RunPart):
    """A race: agents get history after history until one is shown to be better.

    ``over``, ``tokens``, ``questions`` and ``difficulty`` describe made-up rows; of other data,
    ``over`` names those of its sources that count.
    """

    over: Annotated[
        tuple[str, ...], _data("Take the mean over several sources; repeatable.", "SOURCE")
    ] = ()
    tokens: Annotated[int | None, _data("Length of each made-up history, such as 8k.", "N")] = None
    questions: Annotated[int | None, _data("Questions of each made-up history.", "N")] = None
    difficulty: Annotated[
        str, _data("easy, real or hard rows.", "NAME", choices=("easy", "real", "hard"))
    ] = "real"
    seed: Annotated[int, _race("The seed of the histories, or of their order.", "N")] = 0
    margin: Annotated[
        float | None, _race("Differences below this are equality.", "POINTS", above=0)
    ] = None
    builds: Annotated[
        int, _race("Build the memory of each history this many times.", "N", minimum=1)
    ] = 1
    max_histories: Annotated[
        int, _limits("Give up after so many histories of each source.", "N", minimum=1)
    ] = 100
    max_hours: Annotated[
        float | None, _limits("Begin no history after this time.", "HOURS", above=0)
    ] = None
