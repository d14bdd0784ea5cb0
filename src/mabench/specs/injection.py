"""How a history is fed to an agent, and how questions are asked: by which protocol."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from mabench.settings import RunPart, SettingGroup
from mabench.specs.shared import declare_prompt_file

_history = SettingGroup("History")
_PUBLISHED = ("paper", "repository", "paper-unmarked", "repository-unmarked")
DEFAULT_PROTOCOL = "structured"
_PROTOCOLS = (DEFAULT_PROTOCOL, "turns", *_PUBLISHED)


@dataclass(frozen=True, kw_only=True, slots=True)
class InjectionSpec(RunPart):
    """How a history is fed to the agent, and how questions are asked."""

    protocol: str = _history(
        DEFAULT_PROTOCOL, f"{', '.join(_PROTOCOLS)}.", "NAME", choices=_PROTOCOLS
    )
    chunk_tokens: int | None = _history(
        None, "Size of a chunk; default: the protocol's.", "N", minimum=1
    )
    prompts: str | Path | None = declare_prompt_file()
