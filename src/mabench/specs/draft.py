"""How many questions a language model drafts, and which one."""

from __future__ import annotations

from dataclasses import dataclass

from mabench.settings import RunPart, SettingGroup
from mabench.specs.model import ModelSpec
from mabench.specs.shared import declare_max_cost

_models = SettingGroup("Models")


@dataclass(frozen=True, kw_only=True, slots=True)
class DraftSpec(RunPart):
    """Drafts of questions by a language model, which a person accepts or rejects."""

    drafts: int | None = _models(
        None, "Let a model draft this many questions, to be accepted.", "N", "draft", minimum=1
    )
    model: ModelSpec | None = None
    max_cost: float | None = declare_max_cost()
