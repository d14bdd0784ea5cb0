"""How much of a run goes on at once, how long it may take, and when it stops."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from mabench.settings import RunPart, SettingGroup

_parallel, _limits = map(SettingGroup, ("Parallel", "Limits"))


@dataclass(frozen=True, slots=True)
class Limits(RunPart):
    """How much runs at once, how long it may take, and when the run stops.

    No score depends on them. Where ``questions`` is set to more than one, a sync agent is called
    from several threads at once; without it, only if it declares that it can be.
    """

    parameter: ClassVar[str] = "limits"

    rows: int | None = _parallel(
        None,
        "Rows run at once; default: 1, or with processes one per core.",
        "N",
        "rows_in_parallel",
        minimum=1,
    )
    questions: int | None = _parallel(
        None,
        "Questions of a row asked at once; default: as many as is sound for the agent.",
        "N",
        "questions_in_parallel",
        minimum=1,
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
