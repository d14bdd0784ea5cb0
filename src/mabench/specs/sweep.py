"""Which made-up rows a sweep is over: one for each value of a setting."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from mabench.errors import UsageError
from mabench.settings import SettingGroup, as_whole
from mabench.specs.shared import declare_difficulty

_data = SettingGroup("Data")


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
    difficulty: str = declare_difficulty()

    def __post_init__(self) -> None:
        values = tuple(map(as_whole, self.values))
        for value in values:
            if values.count(value) > 1:
                raise UsageError(
                    f"the value {self.knob}={value} is given twice", parameter="values"
                )
        object.__setattr__(self, "values", values)
        knobs = {name: as_whole(value) for name, value in self.knobs.items()}
        object.__setattr__(self, "knobs", knobs)
