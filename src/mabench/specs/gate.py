"""What a gate holds an agent to, and how much worse it may be."""

from __future__ import annotations

from dataclasses import dataclass, field

from mabench.errors import UsageError
from mabench.settings import RunPart, SettingGroup
from mabench.specs.run import RunSpec

_data, _gate, _output = map(SettingGroup, ("Data", "Gate", "Output"))


@dataclass(frozen=True, kw_only=True, slots=True)
class GateSpec(RunPart):
    """A gate; ``run`` has the settings of what is run for it, whose ``out`` is the gate's folder.

    Its data may be None: then they are those of the baseline, if that is a run, else the default.
    """

    run: RunSpec = field(default_factory=RunSpec)
    margin: float = _gate(
        0.0, "How many points worse than the baseline the agent may be.", "POINTS", minimum=0
    )
    strict: bool = _gate(
        False, "Pass only where a loss of more than the margin is excluded (non-inferiority)."
    )
    on: str | None = _gate(
        None, "The source that decides; default: the mean of all that both have.", "SOURCE"
    )
    score: str = _data("official", "", "NAME", choices=("official", "corrected"))
    repeat: int = _output(1, "Run this many times, to see how scores vary.", "N", minimum=1)

    def __post_init__(self) -> None:
        RunPart.__post_init__(self)  # With slots, `super()` finds another class.
        if self.margin >= 100:
            raise UsageError("must be below 100 points", parameter="margin")
