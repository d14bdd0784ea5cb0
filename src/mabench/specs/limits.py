"""How much of a run goes on at once, how long it may take, when it stops, what is looked at."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from mabench.settings import RunPart, SettingGroup

_parallel, _limits, _stages = map(SettingGroup, ("Parallel", "Limits", "Stages"))


@dataclass(frozen=True, slots=True)
class Limits(RunPart):
    """How much runs at once, how long it may take, when the run stops, and what is looked at.

    No score depends on them. Where ``questions`` is set to more than one, a sync agent is called
    from several threads at once; without it, only if it declares that it can be. ``stages``
    says when a memory is asked what became of the support of answers: ``off``, ``end`` or ``full``;
    when None, ``end`` for a memory that lists what it keeps, else ``off``.
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
    max_minutes: float | None = _limits(
        None, "Stop after this many minutes; the same command resumes.", "MINUTES", above=0
    )
    max_errors: int | None = _limits(None, "Stop after this many errors.", "N", minimum=1)
    max_same_errors: int = _limits(
        20, "Stop when the first N answers fail with the same error; 0: never.", "N", minimum=0
    )
    ray_address: str | None = _parallel(None, "The Ray cluster; default: this machine.", "ADDRESS")
    stages: str | None = _stages(
        None,
        "Tell where memories are lost: off, end (list and search deeper after the answers) or full "
        "(also list after chunks with support); default: end where a memory has list.",
        "WHEN",
        choices=("off", "end", "full"),
    )
    judge_stages: bool = _stages(
        False, "Ask the reading model what records say where rules cannot tell."
    )
    stage_depth: int = _stages(200, "How many passages the deeper search asks for.", "N", minimum=1)
