"""Which rows a run is over, and which of their questions are asked."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from mabench.settings import RunPart, SettingGroup

_data = SettingGroup("Data")


@dataclass(frozen=True, kw_only=True, slots=True)
class DataSpec(RunPart):
    """Which rows, and which of their questions; ``data`` may be all that ``mabench.load`` takes."""

    data: object = _data(
        "synthetic:start",
        "A folder or file of rows, 'hub', or a made-up set such as 'synthetic:small'.",
        "DATA",
    )
    sources: tuple[str, ...] | None = _data(
        None, "Only this source, or all lengths of it, or a family; repeatable.", "SOURCE", "source"
    )
    rows: tuple[int, ...] | None = _data(
        None, "Only this row, or rows such as 0-5, of each split; repeatable.", "N", "row"
    )
    limit_questions: int | None = _data(
        None, "Ask at most this many questions per row.", "N", minimum=1
    )
    shuffle_options: int | None = _data(
        None, "Show options in a random order that this number fixes; default: the data's.", "SEED"
    )
    entities: str | Path | None = _data(
        None, "entity2id.json, for rows of recommendations.", "FILE"
    )
    offline: bool = _data(False, "Do not use the network.")
