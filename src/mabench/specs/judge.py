"""Which language model judges answers, and by which prompts."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from mabench.settings import RunPart, SettingGroup
from mabench.specs.model import ModelSpec
from mabench.specs.shared import declare_max_cost, declare_prompt_file

_data = SettingGroup("Data")


@dataclass(frozen=True, kw_only=True, slots=True)
class JudgeSpec(RunPart):
    """A judge: a language model with its prompts, whose roles begin with ``judge``.

    As many answers are judged at a time as the model takes requests. ``max_cost`` does not count
    earlier calls.
    """

    data: str | None = _data(None, "The run's data set, if it has moved.", "DATA")
    unclear: bool = _data(False, "Judge only answers that the corrected score cannot decide.")
    prompts: str | Path | None = declare_prompt_file()
    model: ModelSpec
    max_cost: float | None = declare_max_cost()
